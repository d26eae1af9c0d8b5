// One DMA channel: takes commands, walks the runs of a transfer, checks each against its bounds and
// cuts it into bursts.
// A transfer's first burst is offered two cycles after its command was taken; then one burst a
// cycle. MemStages = 1 (for FPGAs): a run is taken in the cycle after the last burst of the one
// before, so those of one beat come every second cycle, and a command in error is reported a cycle
// later than said below. Commands are done in order; up to InFlight are held, so a transfer is
// prepared while earlier ones of the same direction and memory move. A change of either waits until
// all earlier bursts are complete. A command in error is reported when everything before it, its own
// earlier runs included, is complete, so that memory is as the order of commands says. An AXI error
// is reported at once. After an error or halt_i nothing new starts until reset (rst_ni low for a
// cycle, which clear_i does).
module ttpu_dma_channel
  import ttpu_isa_pkg::*;
  import ttpu_reg_pkg::*;
  import ttpu_pkg::*;
  import ttpu_dma_pkg::*;
#(
  parameter int unsigned AxiBytes = 64,
  parameter int unsigned VmemBytes = 262144,
  parameter int unsigned CmemBytes = 0,
  parameter int unsigned MemStages = 0  // 0 or 1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   halt_i,
  // commands
  input  logic                   cmd_valid_i,
  input  cmd_t                   cmd_i,
  output logic                   cmd_ready_o,
  output status_t                status_o,
  // window in HBM
  input  logic [FarAddrBits-1:0] hbm_base_i,
  input  logic [FarAddrBits-1:0] hbm_size_i,
  // bursts
  output logic                   burst_valid_o,
  output burst_t                 burst_o,
  input  logic                   burst_ready_i,    // only with burst_valid_o
  // what the paths report about this channel's bursts
  input  logic                   complete_i,       // one burst
  input  logic                   complete_last_i,  // it was the last of its command
  input  logic                   fault_valid_i,
  input  fault_t                 fault_i,
  input  error_e                 fault_cause_i,
  input  logic                   moved_i,          // data moved in this cycle
  input  logic                   lost_i,           // a VMEM access was not granted in this cycle
  input  logic                   path_busy_i       // the paths wait for answers of memory
);
  localparam int unsigned InFlight = 8;
  // far address from the window's base, signed: a transfer moves at most 2^32 + 3 * 2^43 from there
  localparam int unsigned HBits = 46;
  localparam int unsigned VBits = $clog2(VmemBytes);
  localparam int unsigned VEndBits = (VBits > 24 ? VBits : 24) + 1;
  localparam logic HasCmem = CmemBytes != 0;
  localparam int unsigned BlockBytes = BurstBeats * AxiBytes < 4096 ? BurstBeats * AxiBytes : 4096;
  localparam int unsigned BlockBits = $clog2(BlockBytes);

  // ---- configuration and command ----------------------------------------------------------------
  logic [23:0]        n0_last_q;  // n0 - 1
  logic               empty_q;    // one of the counts is 0
  logic [15:0]        n1_q, n2_q, n3_q;
  logic signed [27:0] hs1_q, hs2_q, hs3_q;
  logic signed [23:0] vs1_q, vs2_q, vs3_q;

  dma_shape_t   shape;
  dma_hstride_t hstride;
  dma_vstride_t vstride;
  dma_load_t    move;
  logic         is_move, move_store, move_cmem, no_cmem, bad_opcode, accept;

  assign shape = dma_shape_t'(cmd_i.body);
  assign hstride = dma_hstride_t'(cmd_i.body);
  assign vstride = dma_vstride_t'(cmd_i.body);
  assign move = dma_load_t'(cmd_i.body);
  assign move_store = cmd_i.opcode == OpDmaStore;
  assign is_move = cmd_i.opcode == OpDmaLoad || move_store;
  assign move_cmem = move.space == SpaceCmem;
  assign no_cmem = is_move && move_cmem && !HasCmem;
  assign bad_opcode = !is_move && cmd_i.opcode != OpDmaShape && cmd_i.opcode != OpDmaHstride &&
                      cmd_i.opcode != OpDmaVstride;

  // Control has checked the channel and the unused bits; no command reads register c.
  logic unused;
  assign unused = ^{cmd_i.c, shape.unused, shape.channel, hstride.channel, vstride.unused,
                    vstride.channel, move.unused, move.channel};

  // ---- commands accepted, in order --------------------------------------------------------------
  // A bit says whether the command waits for its last burst; the others are done at once.
  logic       fly_ready, fly_valid, fly_waits, fly_pop;
  logic [3:0] fly_count;
  logic [3:0] ends_q;         // transfers complete and not yet reported
  logic [9:0] outstanding_q;  // bursts handed out and not complete
  logic       idle_q;         // none is
  logic       stop, stop_q;   // an error was reported, or a halt
  logic       fault_q;        // the newest command is in error
  logic       opcode_q, space_q;  // why: its opcode, its space; else its run
  logic       walk_q;         // runs of the newest transfer are left
  logic       run_q;          // a run is being cut
  logic       report;

  assign stop = halt_i || stop_q;
  assign cmd_ready_o = !stop && !walk_q && !fault_q && fly_ready;
  assign accept = cmd_valid_i && cmd_ready_o;

  ttpu_fifo #(.Width(1), .Depth(InFlight)) u_fly (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .push_valid_i(accept), .push_ready_o(fly_ready),
    .push_data_i(bad_opcode || no_cmem || (is_move && !empty_q)),
    .pop_valid_o(fly_valid), .pop_ready_i(fly_pop), .pop_data_o(fly_waits), .count_o(fly_count)
  );
  assign fly_pop = (!fly_waits || ends_q != '0) && !stop && !fault_valid_i;

  // ---- walk over the runs -----------------------------------------------------------------------
  logic [15:0]             i1_q, i2_q, i3_q;  // runs left with this one in each dimension
  logic [31:0]             v_q, v2_q, v3_q;   // of the run; of the row of runs; of the plane
  logic signed [HBits-1:0] h_q, h2_q, h3_q;
  logic [PcBits-1:0]       pc_q;
  logic                    store_q, cmem_q, turn_q;
  logic                    more1_q, more2_q, more3_q;  // it is not the last of its dimension
  logic                    walk_step, run_free;

  // One adder a side: where a transfer begins; then the next run, from the run, row or plane
  // before.
  logic [31:0]             v_from, v_step, v_new;
  logic signed [HBits-1:0] h_from, h_step, h_sum, h_new;
  always_comb begin
    if (!walk_q) begin
      v_from = cmd_i.b;
      v_step = 32'(move.imm_v);
      h_from = HBits'({1'b0, cmd_i.a});
      h_step = HBits'({1'b0, move.imm_h});
    end else if (more1_q) begin
      v_from = v_q;
      v_step = 32'(vs1_q);
      h_from = h_q;
      h_step = HBits'(hs1_q);
    end else if (more2_q) begin
      v_from = v2_q;
      v_step = 32'(vs2_q);
      h_from = h2_q;
      h_step = HBits'(hs2_q);
    end else begin
      v_from = v3_q;
      v_step = 32'(vs3_q);
      h_from = h3_q;
      h_step = HBits'(hs3_q);
    end
  end
  assign v_new = v_from + v_step;
  assign h_sum = h_from + h_step;
  assign h_new = walk_q ? h_sum : HBits'({1'b0, h_sum[31:0]});  // a start is modulo 2^32

  // bounds of the run; what is past counts only where it does not begin outside
  logic [FarAddrBits-1:0] far, far_size;
  logic [FarAddrBits:0]   room;   // from the run's first byte
  logic [VEndBits-1:0]    v_end;  // its last byte
  logic                   v_over, v_past, h_over, h_past, run_bad;

  assign far = FarAddrBits'(h_q);
  assign far_size = cmem_q ? FarAddrBits'(CmemBytes) : hbm_size_i;
  assign v_over = v_q >= VmemBytes;
  assign v_end = VEndBits'(v_q[VBits-1:0]) + VEndBits'(n0_last_q);
  assign v_past = v_end >= VEndBits'(VmemBytes);
  assign room = {1'b0, far_size} - {1'b0, far};
  assign h_over = room[FarAddrBits];
  assign h_past = room[FarAddrBits-1:24] == '0 && n0_last_q >= room[23:0];
  assign run_bad = v_over || v_past || h_over || h_past;
  // Of the last run, for its error: what was wrong, and where it began. In bad_h_q also the opcode
  // or the space of a command that is refused.
  logic                    v_over_q, v_past_q, h_over_q;
  logic [31:0]             bad_v_q;
  logic signed [HBits-1:0] bad_h_q;

  assign walk_step = walk_q && run_free && !stop &&
                     !(turn_q && (run_q || !idle_q));

  // ---- cut a run into bursts --------------------------------------------------------------------
  logic [FarAddrBits-1:0]  run_addr_q;
  logic [VmemAddrBits-1:0] run_vaddr_q;
  logic [23:0]             run_last_byte_q;  // bytes left - 1
  logic                    run_store_q, run_cmem_q, run_last_q;
  logic [PcBits-1:0]       run_pc_q;
  logic [BlockBits-1:0]    block_off, cut_last_byte;  // bytes of the burst - 1
  logic [BlockBits:0]      end_off;   // of the last byte, in the block or, so low, behind it
  logic                    cut_last, burst_go;

  assign block_off = run_addr_q[BlockBits-1:0];
  assign end_off = (BlockBits+1)'(block_off) + (BlockBits+1)'(run_last_byte_q[BlockBits-1:0]);
  assign cut_last = run_last_byte_q[23:BlockBits] == '0 && !end_off[BlockBits];
  assign burst_valid_o = run_q && !stop;
  assign burst_go = burst_ready_i;
  assign run_free = !run_q || (MemStages == 0 && burst_go && cut_last);
  assign burst_o.store = run_store_q;
  assign burst_o.cmem = run_cmem_q;
  assign burst_o.last = run_last_q && cut_last;
  assign burst_o.addr = run_addr_q;
  assign burst_o.vaddr = run_vaddr_q;
  assign cut_last_byte = cut_last ? run_last_byte_q[BlockBits-1:0] : ~block_off;
  assign burst_o.last_byte = (ByteBits-1)'(cut_last_byte);
  assign burst_o.pc = run_pc_q;

  always_ff @(posedge clk_i) begin
    if (burst_go) begin
      // to the next block; in the last burst the run ends
      run_addr_q <= {run_addr_q[FarAddrBits-1:BlockBits] + 1'b1, {BlockBits{1'b0}}};
      run_vaddr_q <= run_vaddr_q - {{(VmemAddrBits - BlockBits){1'b1}}, block_off};
      run_last_byte_q <= {run_last_byte_q[23:BlockBits] - (24 - BlockBits)'(!end_off[BlockBits]),
                          end_off[BlockBits-1:0]};
      if (cut_last) run_q <= 1'b0;
    end
    if (walk_step) begin
      turn_q <= 1'b0;
      v_over_q <= v_over;
      v_past_q <= v_past;
      h_over_q <= h_over;
      bad_v_q <= v_q;
      bad_h_q <= h_q;
      run_addr_q <= cmem_q ? far : hbm_base_i + far;
      run_vaddr_q <= v_q[VmemAddrBits-1:0];
      run_last_byte_q <= n0_last_q;
      run_store_q <= store_q;
      run_cmem_q <= cmem_q;
      run_pc_q <= pc_q;
      run_last_q <= !more1_q && !more2_q && !more3_q;
      run_q <= !run_bad;
      if (run_bad) fault_q <= 1'b1;
      if (run_bad || (!more1_q && !more2_q && !more3_q)) walk_q <= 1'b0;
    end
    // What a start and a step load is chosen by walk_q: both come late, and not together.
    if (walk_step || accept) begin
      v_q <= v_new;
      h_q <= h_new;
      i1_q <= walk_q && more1_q ? i1_q - 1'b1 : n1_q;
      more1_q <= walk_q && more1_q ? i1_q != 16'd2 : n1_q != 16'd1;
      if (!walk_q || !more1_q) begin
        i2_q <= walk_q && more2_q ? i2_q - 1'b1 : n2_q;
        more2_q <= walk_q && more2_q ? i2_q != 16'd2 : n2_q != 16'd1;
        v2_q <= v_new;
        h2_q <= h_new;
      end
      if (!walk_q || (!more1_q && !more2_q)) begin
        i3_q <= walk_q ? i3_q - 1'b1 : n3_q;
        more3_q <= walk_q ? i3_q != 16'd2 : n3_q != 16'd1;
        v3_q <= v_new;
        h3_q <= h_new;
      end
    end

    if (accept) begin
      pc_q <= cmd_i.pc;
      opcode_q <= bad_opcode;
      space_q <= no_cmem;
      unique case (cmd_i.opcode)
        OpDmaShape: begin
          n0_last_q <= shape.n0 - 1'b1;
          empty_q <= shape.n0 == '0 || shape.n1 == '0 || shape.n2 == '0 || shape.n3 == '0;
          n1_q <= shape.n1;
          n2_q <= shape.n2;
          n3_q <= shape.n3;
        end
        OpDmaHstride: begin
          hs1_q <= hstride.s1;
          hs2_q <= hstride.s2;
          hs3_q <= hstride.s3;
        end
        OpDmaVstride: begin
          vs1_q <= vstride.s1;
          vs2_q <= vstride.s2;
          vs3_q <= vstride.s3;
        end
        default: ;
      endcase
      if (bad_opcode || no_cmem) begin
        fault_q <= 1'b1;
        bad_h_q <= bad_opcode ? HBits'(cmd_i.opcode) : HBits'(move.space);
      end else if (is_move && !empty_q) begin
        walk_q <= 1'b1;
        store_q <= move_store;
        cmem_q <= HasCmem && move_cmem;
        turn_q <= store_q != move_store || cmem_q != move_cmem;
      end
    end

    if (burst_go != complete_i) begin
      outstanding_q <= outstanding_q + (burst_go ? 10'd1 : '1);
      idle_q <= !burst_go && outstanding_q == 10'd1;
    end
    ends_q <= ends_q + 4'(complete_i && complete_last_i) - 4'(fly_valid && fly_pop && fly_waits);
    if (report || halt_i) stop_q <= 1'b1;
    if (!rst_ni) begin
      empty_q <= 1'b1;
      n1_q <= '0;
      n2_q <= '0;
      n3_q <= '0;
      hs1_q <= '0;
      hs2_q <= '0;
      hs3_q <= '0;
      vs1_q <= '0;
      vs2_q <= '0;
      vs3_q <= '0;
      walk_q <= 1'b0;
      run_q <= 1'b0;
      store_q <= 1'b0;
      cmem_q <= 1'b0;
      turn_q <= 1'b0;
      fault_q <= 1'b0;
      outstanding_q <= '0;
      idle_q <= 1'b1;
      ends_q <= '0;
      stop_q <= 1'b0;
    end
  end

  // ---- status -----------------------------------------------------------------------------------
  logic alone, fault_due;  // the command in error is the oldest, and all that it did is complete
  assign alone = fault_q && !run_q && idle_q && fly_count == 4'd1;
  ttpu_late #(.Late(MemStages)) i_due (.clk_i, .clear_i(!rst_ni), .d_i(alone), .q_o(fault_due));
  assign report = !stop && (fault_valid_i || fault_due);

  error_e                 fault_cause;
  logic [FarAddrBits-1:0] fault_addr;
  always_comb begin
    fault_cause = ErrFarBounds;
    fault_addr = h_over_q ? FarAddrBits'(bad_h_q) : far_size;
    if (opcode_q || space_q) begin
      fault_cause = opcode_q ? ErrIllegalOpcode : ErrUnsupported;
      fault_addr = FarAddrBits'(bad_h_q);
    end else if (v_over_q || v_past_q) begin
      fault_cause = ErrVmemBounds;
      fault_addr = v_over_q ? FarAddrBits'(bad_v_q) : FarAddrBits'(VmemBytes);
    end
  end

  always_comb begin
    status_o.done = fly_valid && fly_pop;
    status_o.error = report;
    status_o.cause = fault_valid_i ? fault_cause_i : fault_cause;
    status_o.pc = fault_valid_i ? fault_i.pc : pc_q;
    status_o.addr = fault_valid_i ? fault_i.addr : fault_addr;
    status_o.activity = !fly_valid ? ActIdle :
                        moved_i || walk_step || status_o.done ? ActBusy :
                        lost_i ? ActStallMem : ActStallData;
    status_o.quiet = idle_q && !path_busy_i && (halt_i || !fly_valid);
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!complete_i || outstanding_q != '0)
      else $error("ttpu_dma_channel: burst complete twice");
      assert (outstanding_q != '1) else $error("ttpu_dma_channel: too many bursts");
      assert (!fault_due || alone || stop) else $error("ttpu_dma_channel: an error that is past");
      assert (idle_q == (outstanding_q == '0)) else $error("ttpu_dma_channel: idle_q");
      assert (!burst_ready_i || burst_valid_o) else $error("ttpu_dma_channel: no burst was offered");
      assert (!walk_q || (more1_q == (i1_q != 16'd1) && more2_q == (i2_q != 16'd1) &&
                          more3_q == (i3_q != 16'd1)))
      else $error("ttpu_dma_channel: a dimension's end known ahead differs");
      assert (!(status_o.done && fly_waits) || ends_q != '0)
      else $error("ttpu_dma_channel: early done");
    end
  end
`endif
endmodule
