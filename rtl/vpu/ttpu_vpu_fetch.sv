// Reads the words of operand streams A and B and brings the two together, row by row.
//
// step_i (only while ready_o is high) gives one row's addresses. Requests are held until granted;
// when only one stream is granted, the other waits here, so that the row counts once. Words come
// two cycles after their grant, from VMEM MemStages more. row_valid_o gives each row once, in order,
// with both words; its taker never waits. A row that meets no refusal: step in cycle t, request t+1,
// words t+3, row t+4 (from VMEM MemStages later). One row in Pace cycles at most. The accumulators
// are always words of 32-bit lanes; sel_o is the place of the row in its word.
module ttpu_vpu_fetch
  import ttpu_isa_pkg::*;
  import ttpu_vpu_pkg::*;
#(
    parameter int unsigned N = 16,
    parameter int unsigned AccRows = 512,
    parameter int unsigned Pace = 1,  // a power of two, not 2
    parameter int unsigned MemStages = 0,  // of VMEM: 0 or 1
    localparam int unsigned Width = N * 32,
    localparam int unsigned AccBits = $clog2(2 * AccRows)
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  logic               halt_i,
    input  logic               clear_i,
    // rows from control
    output logic               ready_o,
    input  logic               step_i,
    input  logic               acc_i,        // A comes from the accumulators
    input  logic               b_used_i,
    input  logic [31:0]        a_addr_i,
    input  logic [31:0]        b_addr_i,
    input  meta_t              meta_i,
    output logic               refused_o,
    output logic               in_flight_o,
    // VMEM and accumulators
    output logic               a_req_o,
    output logic [23:0]        a_addr_o,
    input  logic               a_gnt_i,
    input  logic [Width-1:0]   a_data_i,
    input  logic               a_valid_i,
    output logic               b_req_o,
    output logic [23:0]        b_addr_o,
    input  logic               b_gnt_i,
    input  logic [Width-1:0]   b_data_i,
    input  logic               b_valid_i,
    output logic               acc_req_o,
    output logic [AccBits-1:0] acc_row_o,
    input  logic               acc_gnt_i,
    input  logic [Width-1:0]   acc_data_i,
    // rows with their words
    output logic               row_valid_o,
    output logic [Width-1:0]   a_word_o,
    output logic [Width-1:0]   b_word_o,
    output logic [1:0]         a_sel_o,
    output logic [1:0]         b_sel_o,
    output meta_t              meta_o
);
  localparam int unsigned LaneBits = $clog2(N);

  // Requests not yet granted.
  logic a_wait_q, b_wait_q, acc_q;
  logic [31:0] a_addr_q, b_addr_q;
  // Grants on their way: [0] one cycle ago, and so on to [Last], whose data is here now. Those of the
  // accumulators begin at [MemStages].
  localparam int unsigned Last = MemStages + 1;
  logic [Last:0] a_way_q, b_way_q;
  logic [Last:0][1:0] a_way_sel_q, b_way_sel_q;
  // Words waiting for their partner, and the rows that they belong to.
  localparam int unsigned Words = Pace == 1 ? 4 : 1;  // with rows so far apart one waits at most
  localparam int unsigned PlaceBits = Words == 1 ? 1 : $clog2(Words);
  logic [Width-1:0] a_word_q[Words];
  logic [Width-1:0] b_word_q[Words];
  logic [1:0] a_sel_q[Words];
  logic [1:0] b_sel_q[Words];
  logic [PlaceBits-1:0] a_wr, a_rd, b_wr, b_rd;  // places in these
  meta_t meta_q[8];
  logic [2:0] a_wr_q, a_rd_q, b_wr_q, b_rd_q;
  logic [3:0] meta_wr_q, meta_rd_q;
  logic a_gnt, b_gnt, b_used_q, granted;

  always_comb begin
    a_req_o = a_wait_q && !acc_q && !halt_i;
    acc_req_o = a_wait_q && acc_q && !halt_i;
    b_req_o = b_wait_q && !halt_i;
    a_addr_o = a_addr_q[23:0];
    b_addr_o = b_addr_q[23:0];
    acc_row_o = a_addr_q[AccBits-1:0];
  end

  // Apart from the requests: what follows from grants must not look like a loop through VMEM.
  always_comb begin
    a_gnt = a_gnt_i || acc_gnt_i;  // never without a request
    b_gnt = b_gnt_i;
    granted = (!a_wait_q || a_gnt) && (!b_wait_q || b_gnt);
    refused_o = (a_wait_q && !a_gnt) || (b_wait_q && !b_gnt);
    in_flight_o = a_way_q != '0 || b_way_q != '0;
    row_valid_o = a_wr_q != a_rd_q && (!b_used_q || b_wr_q != b_rd_q);
    a_wr = Words == 1 ? '0 : a_wr_q[PlaceBits-1:0];
    a_rd = Words == 1 ? '0 : a_rd_q[PlaceBits-1:0];
    b_wr = Words == 1 ? '0 : b_wr_q[PlaceBits-1:0];
    b_rd = Words == 1 ? '0 : b_rd_q[PlaceBits-1:0];
    a_word_o = a_word_q[a_rd];
    b_word_o = b_word_q[b_rd];
    a_sel_o = a_sel_q[a_rd];
    b_sel_o = b_sel_q[b_rd];
    meta_o = meta_q[meta_rd_q[2:0]];
  end

  // Last grants, and so rows, are Pace or more cycles apart.
  if (Pace == 1) begin : gen_each_cycle
    assign ready_o = granted;
  end else begin : gen_pace
    // Counted from the cycle after the last grant, in which the waits have just ended.
    logic [$clog2(Pace)-1:0] pace_q;
    logic waited_q, ready_q;
    logic unused_granted;
    assign unused_granted = granted;
    assign ready_o = ready_q;
`ifndef SYNTHESIS
    always_ff @(posedge clk_i) begin
      if (rst_ni && !clear_i) begin
        assert (ready_q == (!a_wait_q && !b_wait_q && !waited_q && pace_q == '0))
        else $error("readiness known ahead differs from the counts");
      end
    end
`endif
    always_ff @(posedge clk_i) begin
      waited_q <= a_wait_q || b_wait_q;
      if (waited_q) pace_q <= ($clog2(Pace))'(Pace - 3);
      else if (pace_q != '0) pace_q <= pace_q - 1'b1;
      // no request, none in the last cycle, and the pace has run out: what the next cycle sees
      ready_q <= !step_i && !a_wait_q && !b_wait_q && !waited_q && pace_q <= ($clog2(Pace))'(1);
      if (!rst_ni || clear_i) begin
        waited_q <= 1'b0;
        pace_q <= '0;
        ready_q <= 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (step_i) begin
      acc_q <= acc_i;
      b_used_q <= b_used_i;
      a_addr_q <= a_addr_i;
      b_addr_q <= b_addr_i;
      meta_q[meta_wr_q[2:0]] <= meta_i;
      meta_wr_q <= meta_wr_q + 4'd1;
    end
    if (a_way_q[Last]) begin
      a_word_q[a_wr] <= acc_q ? acc_data_i : a_data_i;
      a_sel_q[a_wr] <= acc_q ? 2'd0 : a_way_sel_q[Last];
      a_wr_q <= a_wr_q + 3'd1;
    end
    if (b_way_q[Last]) begin
      b_word_q[b_wr] <= b_data_i;
      b_sel_q[b_wr] <= b_way_sel_q[Last];
      b_wr_q <= b_wr_q + 3'd1;
    end
    if (row_valid_o) begin
      a_rd_q <= a_rd_q + 3'd1;
      if (b_used_q) b_rd_q <= b_rd_q + 3'd1;
      meta_rd_q <= meta_rd_q + 4'd1;
    end
    a_way_sel_q <= {a_way_sel_q[Last-1:0], a_addr_q[LaneBits+:2]};
    b_way_sel_q <= {b_way_sel_q[Last-1:0], b_addr_q[LaneBits+:2]};
    if (!rst_ni || clear_i) begin
      a_wait_q <= 1'b0;
      b_wait_q <= 1'b0;
      b_used_q <= 1'b0;
      a_way_q <= '0;
      b_way_q <= '0;
      a_wr_q <= 3'd0;
      a_rd_q <= 3'd0;
      b_wr_q <= 3'd0;
      b_rd_q <= 3'd0;
      meta_wr_q <= 4'd0;
      meta_rd_q <= 4'd0;
    end else begin
      a_wait_q <= step_i || (a_wait_q && !a_gnt);
      b_wait_q <= (step_i && b_used_i) || (b_wait_q && !b_gnt);
      a_way_q <= {a_way_q[Last-1:0], 1'b0} | ((Last + 1)'(a_gnt) << (acc_q ? MemStages : 0));
      b_way_q <= {b_way_q[Last-1:0], b_gnt};
    end
  end

  logic unused;
  assign unused = ^{a_addr_q, b_addr_q, a_valid_i, b_valid_i};

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      assert ((a_req_o || !a_gnt_i) && (acc_req_o || !acc_gnt_i) && (b_req_o || !b_gnt_i))
      else $error("a grant without a request");
      assert (!(step_i && !ready_o)) else $error("a row while none can be taken");
      assert (!(a_way_q[Last] && !acc_q && !a_valid_i))
      else $error("no data of A in its cycle after the grant");
      assert (!(b_way_q[Last] && !b_valid_i))
      else $error("no data of B in its cycle after the grant");
      assert (3'(a_wr_q - a_rd_q) <= 3'(Words) && 3'(b_wr_q - b_rd_q) <= 3'(Words))
      else $error("words overrun");
      assert (4'(meta_wr_q - meta_rd_q) <= 4'd8) else $error("rows overrun");
    end
  end
`endif
endmodule
