// Engine of the microprogrammed core: a 32-bit machine of two stages that carries out the microcode
// of its ROM. docs/reference/micro.md has the microinstructions; ttpu_micro_pkg their numbers.
//
// Stage D holds a microinstruction (the ROM's output) and reads the register file; stage X carries it
// out and writes. One goes from D to X in each cycle but for these. Cycles that one takes in X:
//   1                  all others, branches not taken and jmp, call, bf, bnf, callf in any case
//   2                  st and stp (D sends their two parts), ld, ald; ald repeated: N + 1
//   6, 8               imul, iqmul
//   3                  beq .. bgeu taken: behind it X is empty for two cycles
//   2                  jr: behind it X is empty for a cycle
//   2 + N * c          exec with an operation of c cycles, 2 + 5 N + 3 with iqmul
//   N * c              repeated; iqmul, also by exec: 5 N + 3. It multiplies a lane while the one before
//                      is shifted and rounded, whose result it so does not see
//   + 1                bf, bnf, callf directly behind iadd, isub, addc or mts: they wait in D, so that
//                      all flags stand as that one left them
// A result is forwarded, so the next microinstruction sees it. SPR writes act at the end of their cycle.
//
// ROM, LMEM, accumulators: data in the cycle after the address. The ROM's stay until the next. LMEM is the
// engine's in each cycle in which the microcode goes there.
// Reset: X empty, SHIFT and the predicate 0, word 0 of the ROM first. Registers keep what they had.
module ttpu_micro_engine
  import ttpu_micro_pkg::*;
  import ttpu_micro_ctl_pkg::*;
#(
  parameter int unsigned N = 4,  // lanes: 4, 8, 16
  localparam int unsigned LaneBits = $clog2(N)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // microcode
  output logic                 rom_en_o,
  output logic [UaddrBits-1:0] rom_addr_o,
  input  logic [UwordBits-1:0] rom_data_i,
  // special registers: written in the cycle of the request; the address of a read comes in a cycle before
  // that of its spr_re_o, and spr_rdata_i must be what is read in the cycle behind the address; but for the predicate
  output logic [7:0]           spr_addr_o,   // write
  output logic                 spr_we_o,
  output logic [31:0]          spr_wdata_o,
  output logic [4:0]           spr_raddr_o,
  output logic                 spr_re_o,
  input  logic [31:0]          spr_rdata_i,
  input  logic                 hreq_i,       // flags
  input  logic                 mxbusy_i,
  input  logic                 xbusy_i,
  input  logic                 xerr_i,
  // LMEM, 32-bit words
  output logic                 lmem_en_o,
  output logic                 lmem_we_o,
  output logic [15:0]          lmem_addr_o,  // in bytes
  output logic [31:0]          lmem_wdata_o,
  input  logic [31:0]          lmem_rdata_i,
  // accumulators
  output logic                 acc_en_o,
  output logic [15:0]          acc_row_o,
  output logic [LaneBits-1:0]  acc_lane_o,
  input  logic [31:0]          acc_data_i
);
  // ---- X: the microinstruction in work ----------------------------------------------------------
  control_t             x_q;
  logic [3:0]           x_left_q;      // cycles after this one
  logic                 ready_q;       //   there are none
  logic                 x_first_q;
  logic                 x_sets_flag_q;
  logic [7:0]           x_d_q;
  logic [LaneBits-1:0]  x_lane_q;
  logic [UaddrBits-1:0] x_target_q, target_q;
  logic                 taken_q;       // the last one was a branch that is taken: this one is not to be
  // The last result is early_q ^ late_q, of which late_q is what came behind the adder's carries; it goes to the
  // register file now. Operand a is (late_a_q or, with rf_a_q, the register file) ^ early_a_q, b likewise.
  logic [31:0]          early_q, early_a_q, early_b_q, late_q, late_a_q, late_b_q, written;
  logic                 rf_a_q, rf_b_q;
  logic                 wr_en_q;
  logic [7:0]           wr_addr_q;
  logic                 carry_q;
  logic                 carry_in_q;    // into the adder: 1
  logic                 with_c_q;      //   or C
  logic [N-1:0]         pred_q, pred;  // without and with what the last one sets
  logic                 set_pred_q, cmp_q;
  logic [LaneBits-1:0]  set_lane_q;
  logic                 x_pred_q;      // P[lane], if not
  logic                 x_pred_set_q;  //   set by the last one
  logic [31:0]          spr_q;         // what mfs reads
  logic                 spr_pred_q;    //   it is the predicate
  logic [4:0]           shift_q;       // SHIFT

  logic [31:0] rf_a, rf_b, a, bx, sum;
  logic        carry_out, less, equal, cmp, taken;
  assign a = (rf_a_q ? rf_a : late_a_q) ^ early_a_q;
  assign bx = (rf_b_q ? rf_b : late_b_q) ^ early_b_q;
  assign written = early_q ^ late_q;
  assign taken = (x_q.branch_eq && equal) || (x_q.branch_ne && !equal) ||
      (x_q.branch_lt && less) || (x_q.branch_ge && !less);
  assign cmp = (x_q.cmp_equal && equal) || (x_q.cmp_less && less);
  always_comb begin
    pred = pred_q;
    if (set_pred_q) pred[set_lane_q] = cmp_q;
  end

  // ---- D: the word from the ROM, or the vector operation of an exec ------------------------------
  logic [UwordBits-1:0] word;
  logic                 d_valid_q;
  logic                 exec_q, exec_va_q, exec_vb_q;
  logic [5:0]           exec_op_q;
  logic [LaneBits-1:0]  lane_q;
  logic                 second_q;      // second part of st
  logic                 next_q;        // registers from here, as that of a lane behind the first or of exec
  logic [7:0]           next_a_q, next_b_q, next_d_q;
  logic [UaddrBits-1:0] pc_q, pc_next;
  assign word = rom_data_i;

  logic is_bytes, is_flag, goes, w_several, several, last, w_hold, send;
  control_t   d_ctl;
  logic [5:0] d_op;
  logic [3:0] d_extra;
  logic       with_c, sets_flag;
  assign d_op = exec_q ? exec_op_q : word[35:30];
  ttpu_micro_decode i_decode (
    .op_i(d_op), .second_i(second_q), .first_lane_i(lane_q == '0), .last_lane_i(!several || lane_q == '1),
    .ctl_o(d_ctl), .extra_o(d_extra), .with_c_o(with_c), .sets_flag_o(sets_flag)
  );

  assign is_bytes = word[35:31] == 5'(UopExts >> 1);
  assign is_flag = word[35] && word[34] && word[31];
  assign pc_next = pc_q + 1'b1;
  ttpu_micro_next i_next (
    .word_i(word), .valid_i(d_valid_q), .exec_i(exec_q), .end_i(lane_q == '1 || second_q),
    .free_i(ready_q && !x_q.exec), .x_flag_i(x_sets_flag_q),
    .hreq_i, .mxbusy_i, .xbusy_i, .xerr_i, .carry_i(carry_q),
    .other_i(taken_q || x_q.jump_reg), .elsewhere_i(taken_q ? target_q : a[UaddrBits-1:0]), .pc_next_i(pc_next),
    .several_o(w_several), .goes_o(goes), .hold_o(w_hold), .en_o(rom_en_o), .addr_o(rom_addr_o)
  );
  assign several = exec_q || w_several;
  assign last = !several || lane_q == '1 || second_q;
  assign send = d_valid_q && ready_q && !x_q.exec && !(w_hold && !exec_q) && !taken_q && !x_q.jump_reg;

  // Registers of this lane.
  logic [7:0] d_a, d_b, d_d;
  logic       moves_a, moves_b;  // for the next lane
  assign d_a = next_q ? next_a_q : word[15:8];
  assign d_b = next_q ? next_b_q : word[7:0];
  assign d_d = next_q ? next_d_q : word[23:16];
  assign moves_a = exec_q ? exec_va_q : is_bytes ? lane_q[1:0] == '1 : word[28];
  assign moves_b = exec_q ? exec_vb_q : word[27];

  // Operand b from the word. Which one is seen by few bits, for speed: what it is does not matter
  // where b comes from elsewhere.
  logic        d_imm;
  logic [15:0] imm;
  assign d_imm = (word[26] || second_q) && !exec_q;
  always_comb begin
    imm = {8'b0, word[7:0]};
    if (is_bytes) imm[4:3] = 2'(lane_q);
    if (word[34] && word[33] && word[32] && !word[31]) imm = word[15:0];  // 28 29 li lin
    if (word[35] && word[32] && word[31]) imm = 16'(pc_next);             // 47 54 call callf
    if (second_q) imm = {8'b0, word[23:16]};                              // st stp
  end

  // ---- units ------------------------------------------------------------------------------------
  // iqmul, behind the multiplier's steps: take the product >> 31; shift that right by SHIFT; round (carry
  // in) or saturate: only 2^62 is too large, and only with SHIFT = 0. The last lane (write) stays in X
  // until then; of the others the next lane is in X, and its operands are taken in the cycle of iq_take.
  logic iq_take_q, iq_shift_q, iq_round_q, iq_steps_over;
  logic iq_sign_q, iq_half_q, iq_lost_q, saturate_q;  // of the product that was taken
  logic round_q;  // half or more was dropped; up, if there is a 1 behind it or the result is odd
  logic [63:0] product;
  logic        sticky;
  logic [31:0] ext, packed_word;
  logic [31:0] shifted, early, differ;
  logic        dropped;
  ttpu_micro_rf i_rf (
    .clk_i, .rd_en_i(ready_q), .a_addr_i(d_a), .b_addr_i(d_b), .a_o(rf_a), .b_o(rf_b),
    .wr_en_i(wr_en_q), .wr_addr_i(wr_addr_q), .wr_data_i(written)
  );

  assign iq_steps_over = x_q.iqmul && x_left_q == (x_q.write ? 4'd3 : 4'd0);
  ttpu_micro_mul i_mul (
    .clk_i, .first_i(x_first_q), .step_i(x_q.mul && !(x_q.iqmul && x_q.write && x_left_q < 4'd3)),
    .a_i(a), .b_i(bx), .product_o(product), .sticky_o(sticky)
  );
  // Are there ones in the product below the last bit that the shift drops? sticky looks at 29..0.
  logic lost;
  always_comb begin
    lost = 1'b0;
    for (int unsigned i = 0; i < 31; i++) lost = lost || (product[30+i] && shift_q > 5'(i));
  end

  always_comb begin
    unique case (x_q.ext)
      ExtMul:   ext = product[31:0];
      ExtShift: ext = product[62:31];
      ExtLmem:  ext = lmem_rdata_i;
      ExtAcc:   ext = acc_data_i;
      ExtSpr:   ext = spr_q | (spr_pred_q ? 32'(pred) : '0);
      default:  ext = packed_word;
    endcase
  end
  ttpu_micro_pack #(.N(N)) i_pack (
    .clk_i, .limits_we_i(x_q.spr_write && x_d_q == SprLimits && !taken_q), .put_i(x_q.pack && !taken_q),
    .take_i(x_q.take && !taken_q),
    .value_i(a), .word_o(packed_word)
  );
  ttpu_micro_alu i_alu (
    .ctl_i(x_q.alu), .a_i(a), .bx_i(bx),
    .carry_i(carry_in_q || (with_c_q && carry_q)), .round_i(round_q && (early_a_q[0] || iq_lost_q)),
    .pred_i(x_pred_set_q ? cmp_q : x_pred_q),
    .fill_i(iq_shift_q && iq_sign_q), .ext_i(ext),
    .sum_o(sum), .carry_o(carry_out), .less_o(less), .equal_o(equal), .dropped_o(dropped),
    .shifted_o(shifted), .early_o(early), .differ_o(differ)
  );

  // What the next one takes: the result of X (hit), that of the one before, which is being written (old), or
  // what is in the register file; as b also the word's, inverted if need be. iqmul goes on with its result.
  logic        iq_next, takes;
  logic        hit_a, hit_b, old_a, old_b;
  logic [31:0] imm_b;  // b, but for what comes from X or from the register file
  assign iq_next = iq_take_q || iq_shift_q;
  assign takes = ready_q || iq_next;
  assign hit_a = iq_next || (x_q.write && x_d_q == d_a);
  assign hit_b = !iq_next && !d_imm && x_q.write && x_d_q == d_b;
  assign old_a = !hit_a && wr_en_q && wr_addr_q == d_a;
  assign old_b = !hit_b && !d_imm && wr_en_q && wr_addr_q == d_b;
  always_comb begin
    imm_b = (d_imm ? {{16{word[35:30] == UopLin}}, imm} : old_b ? written : '0) ^ {32{d_ctl.sub}};
    if (iq_take_q) imm_b = 32'(shift_q);
    if (iq_shift_q) imm_b = {32{saturate_q}};  // - 1
  end

  ttpu_micro_late i_late (
    .clk_i, .en_i(1'b1), .on_i(1'b1), .sum_i(sum), .use_sum_i(x_q.alu.use_sum), .differ_i(differ), .less_i(less),
    .q_o(late_q)
  );
  ttpu_micro_late i_late_a (
    .clk_i, .en_i(takes), .on_i(hit_a), .sum_i(sum), .use_sum_i(x_q.alu.use_sum), .differ_i(differ), .less_i(less),
    .q_o(late_a_q)
  );
  ttpu_micro_late i_late_b (
    .clk_i, .en_i(takes), .on_i(hit_b), .sum_i(sum), .use_sum_i(x_q.alu.use_sum), .differ_i(differ), .less_i(less),
    .q_o(late_b_q)
  );

  // ---- D to X -----------------------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    // Made as rom_addr_o, but for the reset below: so it has its own LUT before it.
    if (rom_en_o) pc_q <= rom_addr_o & {UaddrBits{rst_ni}};
    d_valid_q <= 1'b1;
    taken_q <= taken && !taken_q;
    target_q <= x_target_q;
    iq_take_q <= iq_steps_over;
    iq_shift_q <= iq_take_q;
    iq_round_q <= iq_shift_q;
    if (iq_round_q) begin
      x_q.alu.use_sum <= 1'b0;
      x_q.alu.use_ext <= 1'b1;
    end
    if (ready_q) begin
      x_q <= d_ctl;
      x_left_q <= d_extra;
      ready_q <= d_extra == '0;
      x_first_q <= 1'b1;
      spr_q <= spr_rdata_i;
      spr_pred_q <= word[4:0] == SprPred[4:0];
      carry_in_q <= d_ctl.sub;
      with_c_q <= with_c;
      x_sets_flag_q <= sets_flag;
      x_d_q <= d_d;
      x_lane_q <= lane_q;
      x_pred_q <= x_q.spr_write && x_d_q == SprPred ? a[5'(lane_q)] : pred[lane_q];
      x_pred_set_q <= x_q.set_pred && x_lane_q == lane_q;
      x_target_q <= {word[29], word[25:24], word[23:16]};
      if (is_flag && !goes && !exec_q) x_q.write <= 1'b0;
      if (several && !with_c) x_q.set_carry <= 1'b0;
    end else begin
      x_left_q <= x_left_q - 1'b1;
      ready_q <= x_left_q == 4'd1;
      x_first_q <= 1'b0;
    end
    if (taken_q || (ready_q && !send)) begin
      {x_q.write, x_q.set_pred, x_q.set_carry, x_q.branch_eq, x_q.branch_ne,
       x_q.branch_lt, x_q.branch_ge, x_q.jump_reg, x_q.spr_write, x_q.spr_read,
       x_q.load, x_q.store, x_q.ald, x_q.exec, x_q.mul, x_q.iqmul, x_q.pack,
       x_q.take} <= '0;
      x_left_q <= '0;
      ready_q <= 1'b1;
      x_sets_flag_q <= 1'b0;
    end
    if (send) begin
      lane_q <= last ? '0 : lane_q + 1'b1;
      second_q <= word[35:31] == 5'(UopSt >> 1) && !second_q && !exec_q;
      next_q <= !last;
      next_a_q <= d_a + {7'b0, moves_a};
      next_b_q <= d_b + {7'b0, moves_b};
      next_d_q <= d_d + 8'd1;
      if (last) exec_q <= 1'b0;
    end
    if (taken_q) begin
      lane_q <= '0;
      second_q <= 1'b0;
      next_q <= 1'b0;
    end

    // Of the result, what is there early: a LUT4 a bit behind the shifter in each case.
    early_q <= shifted | early;
    wr_en_q <= (x_q.write && ready_q && !taken_q) || iq_round_q;
    wr_addr_q <= x_d_q - 8'(iq_round_q && !ready_q);
    if (takes) begin
      rf_a_q <= !hit_a && !old_a;
      early_a_q <= ((shifted | early) & {32{hit_a}}) | (written & {32{old_a}});
      rf_b_q <= !hit_b && !old_b && !d_imm && !iq_next;
      early_b_q <= ((shifted | early) & {32{hit_b}}) ^ imm_b;
    end
    if (iq_take_q) begin
      x_q.alu.use_ext <= 1'b0;
      x_q.alu.use_shift <= 1'b1;
      saturate_q <= product[62] && !product[63] && shift_q == '0;
      iq_sign_q <= product[63];
      iq_half_q <= product[30];
      iq_lost_q <= sticky || lost;
    end
    if (iq_shift_q) begin
      x_q.alu.use_shift <= 1'b0;
      x_q.alu.use_sum <= 1'b1;
    end
    round_q <= iq_shift_q && (shift_q == '0 ? iq_half_q : dropped);

    if (x_q.exec && !taken_q) begin
      exec_q <= 1'b1;
      exec_op_q <= a[13:8];
      next_q <= 1'b1;
      next_a_q <= a[16] ? a[7:0] : '0;
      next_b_q <= a[16] ? '0 : a[7:0];
      next_d_q <= '0;
      exec_va_q <= !a[16] || a[15];
      exec_vb_q <= a[16] || a[15];
      shift_q <= a[21:17];
    end
    if (x_q.set_carry && !taken_q) carry_q <= carry_out;
    cmp_q <= cmp;
    set_pred_q <= x_q.set_pred && !taken_q;
    set_lane_q <= x_lane_q;
    pred_q <= pred;
    if (spr_we_o && x_d_q == SprPred) pred_q <= a[N-1:0];

    if (!rst_ni) begin
      x_q <= '0;
      x_left_q <= '0;
      ready_q <= 1'b1;
      taken_q <= 1'b0;
      x_sets_flag_q <= 1'b0;
      {iq_take_q, iq_shift_q, iq_round_q} <= '0;
      d_valid_q <= 1'b0;
      pc_q <= '1;
      lane_q <= '0;
      {exec_q, second_q, next_q} <= '0;
      shift_q <= '0;
      pred_q <= '0;
      {set_pred_q, wr_en_q} <= '0;
    end
  end

  // ---- outside ----------------------------------------------------------------------------------
  assign spr_we_o = x_q.spr_write && !taken_q;
  assign spr_addr_o = x_d_q;
  assign spr_wdata_o = a;
  assign spr_re_o = x_q.spr_read && !taken_q;
  assign spr_raddr_o = word[4:0];
  assign lmem_en_o = (x_q.load && x_first_q && !taken_q) || x_q.store;
  assign lmem_we_o = x_q.store;
  assign lmem_addr_o = sum[15:0];
  assign lmem_wdata_o = written;
  assign acc_en_o = x_q.ald && (!ready_q || lane_q != '0) && !taken_q;
  assign acc_row_o = a[15:0];
  assign acc_lane_o = ready_q ? lane_q : '0;

  logic unused;
  assign unused = ^{sum[31:16], x_q.sub};

`ifndef SYNTHESIS
  initial assert (N >= 4 && N <= 16 && N == 1 << LaneBits) else $fatal(1, "micro_engine: N is 4, 8 or 16");
  always_ff @(posedge clk_i) if (rst_ni) begin
    assert (!(lmem_en_o && lmem_addr_o[1:0] != '0)) else $error("micro_engine: LMEM address not a multiple of 4");
    assert (!(lmem_en_o && sum[31:16] != '0)) else $error("micro_engine: LMEM address past 64 KiB");
    assert (!(acc_en_o && mxbusy_i)) else $error("micro_engine: accumulators of the busy MXU");
    assert (!(taken_q && x_q.store)) else $error("micro_engine: st behind a branch that is taken");
    assert (!(taken && exec_q)) else $error("micro_engine: branch within exec");
    assert (!(d_valid_q && exec_q && d_op[5])) else $error("micro_engine: exec of no vector operation");
    assert (!(send && !exec_q && word[35:31] == 5'(UopSt >> 1) && !word[29])) else $error("micro_engine: st has two parts");
    assert (!(send && d_ctl.exec && several)) else $error("micro_engine: exec cannot repeat");
  end
`endif
endmodule
