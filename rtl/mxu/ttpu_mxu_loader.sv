// Weight loader: MXU_LOADW commands, VMEM words in, groups of four weight rows out to the array.
//
// Reading: rows that follow each other in whole VMEM words ("packed": first address a multiple of a
// word, stride one row) come at a word a cycle, 4 rows of 8 bits or 2 of bf16; else a row a cycle.
// Words wait in a FIFO, so that the next tile is read while the present one still waits for its
// second registers.
// Writing: one FIFO word a cycle; group g of a tile leaves as soon as its last word is there, no
// earlier than take + (4g + 3)*FpStages + 2, where take is the cycle in which the tile before was taken (its swap
// enters the array at take + 2): the writes follow the swap's wavefront down the array. Rows beyond
// k and columns beyond n are neutral; groups beyond k are written without reading.
// Hand-over: tile_ready_o tells that all words of the tile are granted and its group 0 is written;
// the other groups are then sure to be written ahead of the wavefront of a swap two or more cycles
// later. tile_take_i takes the tile (at most one of two pending).
// MemStages = 1: requests stand in a ttpu_skid, the first of them a cycle after it was made; an error
// is reported in the cycle after those before are granted, and a tile leaves in the cycle after its
// last write.
// A command is done with its last write. Errors: docs/reference/mxu.md.
module ttpu_mxu_loader
  import ttpu_isa_pkg::*;
  import ttpu_reg_pkg::*;
  import ttpu_pkg::*;
  import ttpu_mxu_pkg::*;
#(
    parameter int unsigned N = 16,
    parameter int unsigned HasFp = 1,
    parameter int unsigned FpStages = 1,  // cycles by which the wavefront is late in each row
    parameter int unsigned MemStages = 0,  // of VMEM: 0 or 1
    parameter int unsigned VmemBytes = 262144,
    localparam int unsigned ElemBits = element_bits(HasFp),
    localparam int unsigned GroupBits = (N > 4) ? $clog2(N / 4) : 1
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    input  logic                       halt_i,
    input  logic                       clear_i,
    // command port (unit MXW)
    input  logic                       cmd_valid_i,
    input  cmd_t                       cmd_i,
    output logic                       cmd_ready_o,
    output status_t                    status_o,
    // VMEM read port
    output logic                       rd_req_o,
    output logic    [VmemAddrBits-1:0] rd_addr_o,
    input  logic                       rd_gnt_i,
    input  logic    [        N*32-1:0] rd_data_i,
    input  logic                       rd_valid_i,
    // weights to the array
    output logic                       w_we_o,
    output logic    [   GroupBits-1:0] w_group_o,
    output logic    [4*N*ElemBits-1:0] w_data_o,      // row 4g + j, column c: element j*N + c
    // hand-over of a tile
    output logic                       tile_ready_o,
    output logic    [             8:0] tile_k_o,
    output logic    [             8:0] tile_n_o,
    output logic                       tile_fp_o,
    input  logic                       tile_take_i
);
  localparam int unsigned LogN = $clog2(N);
  // Words in the FIFO: N / 2, and enough for a word a cycle.
  localparam int unsigned Depth = ((N <= 4) ? 2 : N / 2) + 2 * MemStages;
  localparam int unsigned PtrBits = $clog2(Depth);
  localparam int unsigned AgeMax = N * FpStages + 4;
  localparam int unsigned AgeBits = $clog2(AgeMax + 1);

  // ---- command ---------------------------------------------------------------------------------
  typedef struct packed {
    logic [31:0]        addr;    // of weight row 0
    logic signed [19:0] stride;  // units of N bytes
    logic [8:0]         k;
    logic [8:0]         n;
    logic [2:0]         dtype;
    logic [7:0]         opcode;
    logic [15:0]        pc;
    logic               fp;
    logic               packed_rows;
  } load_t;

  mxu_loadw_t body;
  assign body = mxu_loadw_t'(cmd_i.body);

  load_t cmd_q;
  logic cmd_valid_q, first_q, error_q;
  logic [31:0] addr_q;  // of the next row or word
  logic [ 8:0] left_q;  // rows not yet requested

  logic fp, packed_rows;
  logic [31:0] step, row_step, addr_d;
  logic [2:0] take_rows;  // rows of the word at addr_q
  assign fp = cmd_q.fp;
  assign packed_rows = cmd_q.packed_rows;
  assign row_step = 32'(cmd_q.stride) << LogN;
  always_comb begin
    step = packed_rows ? 32'(4 * N) : row_step;
    take_rows = 3'd1;
    if (packed_rows) begin
      take_rows = fp ? 3'd2 : 3'd4;
      if (left_q < 9'(take_rows)) take_rows = left_q[2:0];
    end
  end

  assign addr_d = addr_q + step;

  // Checks, in the order of the contract.
  error_e cause;
  logic [31:0] cause_addr;
  always_comb begin
    cause = ErrNone;
    cause_addr = addr_q;
    if (first_q && cmd_q.opcode != OpMxuLoadw) begin
      cause = ErrIllegalOpcode;
      cause_addr = 32'(cmd_q.opcode);
    end else if (first_q && (cmd_q.k == '0 || cmd_q.k > 9'(N))) begin
      cause = ErrBadField;
      cause_addr = 32'(cmd_q.k);
    end else if (first_q && (cmd_q.n == '0 || cmd_q.n > 9'(N))) begin
      cause = ErrBadField;
      cause_addr = 32'(cmd_q.n);
    end else if (first_q && cmd_q.dtype > DtypeBf16) begin
      cause = ErrBadField;
      cause_addr = 32'(cmd_q.dtype);
    end else if (first_q && HasFp == 0 && cmd_q.dtype == DtypeBf16) begin
      cause = ErrUnsupported;
      cause_addr = 32'(cmd_q.dtype);
    end else if (first_q && (cmd_q.addr[LogN-1:0] != '0 || (fp && cmd_q.addr[LogN]))) begin
      cause = ErrBadAlign;
      cause_addr = cmd_q.addr;
    end else if (first_q && fp && cmd_q.stride[0] && cmd_q.k > 9'd1) begin
      cause = ErrBadAlign;
      cause_addr = addr_d;  // of row 1: such rows are never packed
    end else if (addr_q >= 32'(VmemBytes)) begin
      cause = ErrVmemBounds;
    end
  end

  // The same, known a cycle ahead, for what decides about the request (assertion below).
  logic fp_in, bad_command, bad_command_q, bad_addr_q, bad;
  logic [31:0] addr_in;
  assign fp_in = (HasFp != 0) & (body.dtype == DtypeBf16);
  assign addr_in = cmd_i.a + 32'(body.imm_a);
  assign bad = (first_q & bad_command_q) | bad_addr_q;
  always_comb begin
    bad_command = cmd_i.opcode != OpMxuLoadw || body.k == '0 || body.k > 9'(N) || body.n == '0 ||
                  body.n > 9'(N) || body.dtype > DtypeBf16 ||
                  (HasFp == 0 && body.dtype == DtypeBf16);
    if (addr_in[LogN-1:0] != '0 || (fp_in && addr_in[LogN])) bad_command = 1'b1;
    if (fp_in && body.stride[0] && body.k > 9'd1) bad_command = 1'b1;
  end

  // ---- tiles: [0] is being written or waits to be taken, [1] is next ---------------------------
  typedef struct packed {
    logic       granted;    // all its words
    logic [8:0] k;
    logic [8:0] n;
    logic       fp;
    logic       is_signed;
  } tile_t;
  tile_t             tile_q                                                   [2];
  logic  [      1:0] tile_count_q;
  logic              written_q;  // tile 0 is written whole
  logic              taken_q;  // tile 0 was taken, and is still being written
  logic              started_q;  // its group 0 is written

  // ---- reading ---------------------------------------------------------------------------------
  logic  [PtrBits:0] used_q;  // words asked for and not yet out of the FIFO
  logic  [      1:0] on_way_q;  // granted and not yet here
  logic pushed, grant, pop, fault;
  logic want, take, last_take;  // a word could be asked for; is; is the last of its command
  logic ask, last_grant;  // a request stands; the last word of a command is granted
  assign fault = cmd_valid_q & bad & ~halt_i & ~error_q & ~ask;
  assign want = cmd_valid_q & ~bad & ~halt_i & ~error_q & ~clear_i &
                (used_q != (PtrBits+1)'(Depth)) & (~first_q | tile_count_q != 2'd2);
  logic last_word;  // the present word is the last of its command; k > 0, or it is in error
  assign last_word = left_q <= (packed_rows ? (fp ? 9'd2 : 9'd4) : 9'd1);
  assign last_take = take & last_word;
  if (MemStages == 0) begin : gen_direct
    assign rd_req_o = want;
    assign rd_addr_o = addr_q[VmemAddrBits-1:0];
    assign grant = want & rd_gnt_i;
    assign take = grant;
    assign last_grant = last_take;
    assign ask = 1'b0;
  end else begin : gen_register
    logic place, ask_last, unused_next;
    logic [VmemAddrBits:0] unused_word;
    // Requests are forgotten in the cycle after a halt.
    ttpu_skid #(
        .Width(VmemAddrBits + 1)
    ) i_ask (
        .clk_i,
        .rst_ni,
        .clear_i(clear_i | halt_i),
        .push_valid_i(want),
        .push_ready_o(place),
        .push_data_i({addr_q[VmemAddrBits-1:0], last_word}),
        .pop_valid_o(rd_req_o),
        .pop_ready_i(rd_gnt_i),
        .pop_data_o({rd_addr_o, ask_last}),
        .next_valid_o(unused_next),
        .next_data_o(unused_word)
    );
    assign take = want & place;
    assign grant = rd_req_o & rd_gnt_i;
    assign last_grant = grant & ask_last;
    assign ask = rd_req_o;
  end
  assign cmd_ready_o = ~cmd_valid_q & ~halt_i & ~error_q;

  // FIFO: where the rows stand in a word is noted when it is asked for, the word comes later.
  logic [N*32-1:0] word_mem[Depth];
  logic [5:0] note_mem[Depth];  // {last of its tile, first row in units of N bytes, rows}
  logic [PtrBits-1:0] take_ptr_q, push_ptr_q, pop_ptr_q;
  logic [PtrBits:0] here_q;  // words in the FIFO
  logic [N*32-1:0] word;
  logic [1:0] word_row;
  logic [2:0] word_rows;
  logic tile_last;
  logic [5:0] note_q;  // note_mem[pop_ptr_q]; a note is there before its word by more than a cycle
  logic [PtrBits-1:0] pop_ptr_d;
  assign pop_ptr_d = !pop ? pop_ptr_q : (pop_ptr_q == PtrBits'(Depth - 1)) ? '0 : pop_ptr_q + 1'b1;
  assign word = word_mem[pop_ptr_q];
  assign {tile_last, word_row, word_rows} = note_q;
  assign pushed = rd_valid_i & (on_way_q != 2'd0);

  always_ff @(posedge clk_i) begin
    if (take) note_mem[take_ptr_q] <= {last_word, addr_q[LogN+1:LogN], take_rows};
    if (pushed) word_mem[push_ptr_q] <= rd_data_i;
    note_q <= note_mem[pop_ptr_d];
  end

  // ---- writing ---------------------------------------------------------------------------------
  logic [8:0] row_q;  // rows of tile 0 that are written or in the group's register
  logic [AgeBits-1:0] age_q, take_age_q;  // cycles since the take before tile 0's, since the last
  logic [N/4-1:0] passed_q;  // the swap before has passed the last row of the group
  logic allowed, group_done, tile_done;
  logic [8:0] row_after;
  logic [1:0] place;
  assign place = row_q[1:0];
  assign allowed = (tile_count_q != 2'd0) & ~written_q & ~halt_i & passed_q[GroupBits'(row_q[8:2])];
  // A group of rows beyond k needs no word: all those behind the one with the tile's last word.
  logic neutral_q;
  assign pop = allowed & ~neutral_q & (here_q != '0);
  always_comb begin
    row_after = row_q + 9'(word_rows);
    if (neutral_q) row_after = row_q + 9'd4;
    else if (tile_last) row_after = (tile_q[0].k + 9'd3) & ~9'd3;
  end
  assign group_done = (pop | (allowed & neutral_q)) & (row_after[1:0] == 2'b00);
  assign tile_done  = group_done & (row_after == 9'(N));

  // Words become elements: row j of the group comes from the word's row at `word_row` + j - place.
  function automatic logic [ElemBits-1:0] integer_element(input logic [7:0] bits,
                                                          input logic is_signed);
    integer_element = {{(ElemBits - 8) {bits[7] & is_signed}}, bits};
  endfunction
  logic [ElemBits-1:0] nothing;
  assign nothing = tile_q[0].fp ? ElemBits'(32'h8000) : '0;  // bf16 -0
  // Row j of the group is one of the word's, the first of which is row `from`: a table, no adders.
  function automatic logic fills(input logic [1:0] from, input logic [2:0] rows,
                                 input logic [1:0] j);
    logic [2:0] behind;
    unique case ({j, from})
      4'b00_00, 4'b01_01, 4'b10_10, 4'b11_11: behind = 3'd0;
      4'b01_00, 4'b10_01, 4'b11_10: behind = 3'd1;
      4'b10_00, 4'b11_01: behind = 3'd2;
      4'b11_00: behind = 3'd3;
      default: behind = 3'd4;
    endcase
    unique case (rows)
      3'd1: fills = behind == 3'd0;
      3'd2: fills = ~behind[2] & ~behind[1];
      3'd3: fills = ~behind[2] & (behind[1:0] != 2'd3);
      default: fills = ~behind[2];
    endcase
  endfunction
  logic [1:0] source[4];
  logic fill[4];  // row j comes with this word
  always_comb begin
    for (int unsigned j = 0; j < 4; j++) begin
      source[j] = word_row + ((HasFp != 0 && tile_q[0].fp) ? {1'(j) - place[0], 1'b0} :
                              2'(j) - place);
      fill[j] = ~neutral_q & fills(place, word_rows, 2'(j));
    end
  end

  // The group's register is rewritten from the cycle on in which the array takes it.
  always_ff @(posedge clk_i) begin
    if (pop | (allowed & neutral_q)) begin
      for (int unsigned j = 0; j < 4; j++) begin
        if (fill[j] && HasFp != 0 && tile_q[0].fp) begin
          for (int unsigned l = 0; l < N; l++)
          w_data_o[(j*N+l)*ElemBits+:ElemBits] <= (l < 32'(tile_q[0].n)) ?
                word[(32'(source[j][1])*N+l)*16+:ElemBits] : nothing;
        end else if (fill[j]) begin
          for (int unsigned l = 0; l < N; l++)
          w_data_o[(j*N+l)*ElemBits+:ElemBits] <= (l < 32'(tile_q[0].n)) ? integer_element(
              word[(32'(source[j])*N+l)*8+:8], tile_q[0].is_signed
          ) : nothing;
        end else if (place == 2'd0) begin
          for (int unsigned l = 0; l < N; l++) w_data_o[(j*N+l)*ElemBits+:ElemBits] <= nothing;
        end
      end
    end
  end

  // ---- state -----------------------------------------------------------------------------------
  logic reset, start, leave, done_q;
  logic granted_first;  // last_grant belongs to the tile that is tile 0 in the next cycle
  assign reset = ~rst_ni | clear_i;
  assign start = take & first_q;
  // Requests in registers: the tiles granted whole are the oldest, and one that leaves is.
  assign granted_first = (MemStages == 0) ? tile_count_q + 2'(start) - 2'(leave) == 2'd1 :
                                            leave | ~tile_q[0].granted;
  // Tile 0 leaves when it is both written and taken.
  assign leave = (((MemStages == 0) & tile_done) | written_q) & (tile_take_i | taken_q);

  always_ff @(posedge clk_i) begin
    // command and reads
    if (cmd_valid_i & cmd_ready_o) begin
      cmd_valid_q <= 1'b1;
      first_q <= 1'b1;
      cmd_q <= '{
          addr: addr_in,
          stride: body.stride,
          k: body.k,
          n: body.n,
          dtype: body.dtype,
          opcode: cmd_i.opcode,
          pc: cmd_i.pc,
          fp: fp_in,
          packed_rows: addr_in[LogN+1:0] == '0 && body.stride == (fp_in ? 20'sd2 : 20'sd1)
      };
      bad_command_q <= bad_command;
    end
    // Chosen apart from the grant, which comes late: there is none without a command.
    if (take | (cmd_valid_i & cmd_ready_o)) begin
      addr_q <= cmd_valid_q ? addr_d : addr_in;
      bad_addr_q <= cmd_valid_q ? addr_d >= 32'(VmemBytes) : addr_in >= 32'(VmemBytes);
      left_q <= cmd_valid_q ? left_q - 9'(take_rows) : body.k;
    end
    if (take) begin
      first_q <= 1'b0;
      take_ptr_q <= (take_ptr_q == PtrBits'(Depth - 1)) ? '0 : take_ptr_q + 1'b1;
      if (last_take) cmd_valid_q <= 1'b0;
    end
    if (fault) error_q <= 1'b1;
    used_q   <= used_q + (PtrBits + 1)'(take) - (PtrBits + 1)'(pop);
    on_way_q <= on_way_q + 2'(grant) - 2'(pushed);
    here_q   <= here_q + (PtrBits + 1)'(pushed) - (PtrBits + 1)'(pop);
    if (pushed) push_ptr_q <= (push_ptr_q == PtrBits'(Depth - 1)) ? '0 : push_ptr_q + 1'b1;
    pop_ptr_q <= pop_ptr_d;

    // tiles
    if (leave) tile_q[0] <= tile_q[1];
    if (start) begin
      tile_q[(tile_count_q==2'd0||(tile_count_q==2'd1&&leave))?0 : 1] <= '{
          granted: 1'b0,
          k: cmd_q.k,
          n: cmd_q.n,
          fp: fp,
          is_signed: cmd_q.dtype == DtypeS8
      };
    end
    if (last_grant) begin
      if (granted_first) tile_q[0].granted <= 1'b1;
      else tile_q[1].granted <= 1'b1;
    end
    tile_count_q <= tile_count_q + 2'(start) - 2'(leave);

    // writes
    if (pop | (allowed & neutral_q)) row_q <= row_after;
    if (pop & tile_last) neutral_q <= 1'b1;
    w_we_o <= group_done;
    if (group_done) w_group_o <= GroupBits'(row_q[8:2]);
    if (group_done) started_q <= 1'b1;
    if (tile_done) written_q <= 1'b1;
    done_q <= tile_done;
    if (tile_take_i) taken_q <= 1'b1;
    if (leave) begin
      row_q <= '0;
      neutral_q <= 1'b0;
      written_q <= 1'b0;
      taken_q <= 1'b0;
      started_q <= 1'b0;
    end
    // `age` is 1 in the cycle after the take
    take_age_q <= tile_take_i ? AgeBits'(1) :
                  (take_age_q == AgeBits'(AgeMax)) ? take_age_q : take_age_q + 1'b1;
    if (leave) begin
      age_q <= tile_take_i ? AgeBits'(1) :
               (take_age_q == AgeBits'(AgeMax)) ? take_age_q : take_age_q + 1'b1;
    end else if (age_q != AgeBits'(AgeMax)) begin
      age_q <= age_q + 1'b1;
    end
    // whether the age is above (4g + 3) * FpStages, worked out as it is counted
    for (int unsigned g = 0; g < N / 4; g++)
      passed_q[g] <= leave ? ~tile_take_i & (take_age_q >= AgeBits'((4 * g + 3) * FpStages)) :
                             age_q >= AgeBits'((4 * g + 3) * FpStages);

    if (reset) begin
      cmd_valid_q <= 1'b0;
      error_q <= 1'b0;
      used_q <= '0;
      on_way_q <= '0;
      here_q <= '0;
      take_ptr_q <= '0;
      push_ptr_q <= '0;
      pop_ptr_q <= '0;
      tile_count_q <= '0;
      row_q <= '0;
      neutral_q <= 1'b0;
      w_we_o <= 1'b0;
      written_q <= 1'b0;
      taken_q <= 1'b0;
      started_q <= 1'b0;
      done_q <= 1'b0;
      age_q <= AgeBits'(AgeMax);
      take_age_q <= AgeBits'(AgeMax);
      passed_q <= '1;
    end
  end

  assign tile_ready_o = (tile_count_q != 2'd0) & tile_q[0].granted & started_q & ~taken_q;
  assign tile_k_o = tile_q[0].k;
  assign tile_n_o = tile_q[0].n;
  assign tile_fp_o = tile_q[0].fp;

  // ---- status ----------------------------------------------------------------------------------
  logic working, moved;
  // Commands not done: read, or to be written.
  assign working = cmd_valid_q | (tile_count_q == 2'd2) | ((tile_count_q == 2'd1) & ~written_q);
  assign moved = grant | (on_way_q != 2'd0) | pop | (allowed & neutral_q) | w_we_o;
  // An error is told in its cycle, or with MemStages = 1 in the next one: what it is about stands.
  logic report;
  ttpu_late #(.Late(MemStages)) i_report (.clk_i, .clear_i(reset), .d_i(fault), .q_o(report));
  assign status_o.done = done_q;
  assign status_o.error = report;
  assign status_o.cause = cause;
  assign status_o.pc = cmd_q.pc;
  assign status_o.addr = FarAddrBits'(cause_addr);
  assign status_o.activity = moved ? ActBusy : ~working ? ActIdle :
                             (rd_req_o & ~rd_gnt_i) ? ActStallMem : ActStallData;
  assign status_o.quiet = (on_way_q == 2'd0) & ~ask & ~w_we_o & (halt_i | error_q | ~working);

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni & cmd_valid_q)
      assert (bad == (cause != ErrNone))
      else $error("the checks made ahead differ from those of the contract");
    if (rst_ni & ~clear_i) begin
      assert (!report || bad) else $error("an error is told that is not there any more");
      assert (!(tile_take_i & ~tile_ready_o))
      else $error("a tile was taken that is not ready");
      assert (!pop || note_q == note_mem[pop_ptr_q]) else $error("a word before its note");
      assert (tile_count_q == 2'd0 || neutral_q == (row_q >= tile_q[0].k))
      else $error("neutral_q does not tell whether rows are left");
      assert (used_q <= (PtrBits + 1)'(Depth))
      else $error("weight FIFO overflow");
    end
  end
`endif
endmodule
