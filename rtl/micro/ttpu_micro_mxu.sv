// Matrix unit of the microprogrammed core: an N x N weight-stationary systolic array of signed 8-bit
// products at one row, N*N multiply-adds, a cycle, and the accumulators. It has no commands of its
// own: microcode writes its registers and waits while it is busy.
//
// Weights: w_we_i writes the four weights of row w_index_i / (N/4), columns 4*(w_index_i mod N/4)..+3
// (lowest byte first); only while idle. Masked rows and columns are weights of 0.
// Registers (cfg_we_i, cfg_index_i): 0 byte address of the first row, 1 distance of rows in bytes,
// 2 first accumulator row, 3 mode (bit 0: activations enter as x ^ 0x80, bit 1: every activation is
// 64, bit 2: add to the accumulators, else overwrite), 4 number of rows: starts (0 does nothing).
// Unsigned operands are made of signed passes by microcode; see mxu.mc.
// Started in cycle t with R rows: reads rows in cycles t+1..t+R, is busy in cycles t+1..t+R+2N+1. In a cycle
// of hold_i it reads no row (LMEM is the engine's): each one before the last row is read makes it busy for a
// cycle more. LMEM must answer each read in the next cycle. Starting or writing while busy is an error of
// the microcode (assertion). An address past LMEM reads something; microcode checks.
// Accumulators: read only while idle: acc_en_i with row r gives lane acc_lane_i one cycle later.
// Lanes are read in consecutive cycles from lane 0 on, with the same row: the row's address travels
// along the columns as it does when sums are written.
module ttpu_micro_mxu #(
  parameter int unsigned N = 4,           // a multiple of 4
  parameter int unsigned AccRows = 128,   // rows in each half of the accumulators
  parameter int unsigned MulStyle = 0,    // of ttpu_micro_mul2
  localparam int unsigned LaneBits = $clog2(N),
  localparam int unsigned RowBits = $clog2(2 * AccRows)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  // weights and registers
  input  logic                w_we_i,
  input  logic [5:0]          w_index_i,
  input  logic [31:0]         w_data_i,
  input  logic                cfg_we_i,
  input  logic [2:0]          cfg_index_i,
  input  logic [31:0]         cfg_data_i,
  output logic                busy_o,
  // LMEM: a row of N bytes, in the next cycle
  input  logic                hold_i,
  output logic                rd_en_o,
  output logic [23:0]         rd_addr_o,
  input  logic [8*N-1:0]      rd_data_i,
  // accumulators
  input  logic                acc_en_i,
  input  logic [15:0]         acc_row_i,
  input  logic [LaneBits-1:0] acc_lane_i,
  output logic [31:0]         acc_data_o
);
  localparam int unsigned SumBits = 16 + LaneBits;
  localparam int unsigned Words = N / 4;  // of 4 weights in a row

  // ---- rows: the walk through LMEM ----------------------------------------------------------------
  logic [23:0]        addr_q, stride_q;
  logic [RowBits-1:0] acc_row_q;
  logic [2:0]         mode_q;
  logic [15:0]        left_q;
  logic [2*N:0]       valid_q;  // bit i: a row left LMEM i + 1 cycles ago
  logic               busy_q;   // a row is to be read or under way
  logic               waiting;  // rows are to be read
  assign waiting = left_q != '0;
  assign rd_en_o = waiting && !hold_i;
  assign rd_addr_o = addr_q;
  assign busy_o = busy_q;

  always_ff @(posedge clk_i) begin
    if (rd_en_o) begin
      addr_q <= addr_q + stride_q;
      left_q <= left_q - 1'b1;
    end
    if (valid_q[N]) acc_row_q <= acc_row_q + 1'b1;
    if (cfg_we_i) begin
      case (cfg_index_i)
        3'd0: addr_q <= cfg_data_i[23:0];
        3'd1: stride_q <= cfg_data_i[23:0];
        3'd2: acc_row_q <= cfg_data_i[RowBits-1:0];
        3'd3: mode_q <= cfg_data_i[2:0];
        3'd4: left_q <= cfg_data_i[15:0];
        default: ;
      endcase
    end
    valid_q <= {valid_q[2*N-1:0], rd_en_o};
    busy_q <= waiting || (|valid_q[2*N-1:0]) ||
        (cfg_we_i && cfg_index_i == 3'd4 && cfg_data_i[15:0] != '0);
    if (!rst_ni) begin
      busy_q <= 1'b0;
      left_q <= '0;
      valid_q <= '0;
    end
  end

  // ---- array ------------------------------------------------------------------------------------
  // The row that LMEM gives in cycle t: lane r is at column 0 in cycle t + 1 + max(0, r - 1), at
  // column c c cycles later; its product one cycle later; the sum over rows 0..r one more. The first
  // adder of a column takes two products, so rows 0 and 1 run side by side.
  logic [7:0]         x_in [N];
  logic [7:0]         x_q [N*N];
  logic [SumBits-1:0] sum_q [N*N];    // rows 1..N-1
  logic [15:0]        product [N*N];

  for (genvar r = 0; r < N; r++) begin : gen_row
    assign x_in[r] = mode_q[1] ? 8'd64 : {rd_data_i[8*r+7] ^ mode_q[0], rd_data_i[8*r+:7]};

    for (genvar p = 0; p < N / 2; p++) begin : gen_pair
      localparam int unsigned At = r * N + 2 * p;
      logic we;
      assign we = w_we_i && w_index_i == 6'(r * Words + p / 2);
      ttpu_micro_mul2 #(.Style(MulStyle)) i_mul2 (
        .clk_i, .we_i(we), .w_i(w_data_i[16*(p%2)+:16]), .x_i({x_q[At+1], x_q[At]}),
        .p_o({product[At+1], product[At]})
      );
    end

    for (genvar c = 1; c < N; c++) begin : gen_move
      always_ff @(posedge clk_i) x_q[r*N+c] <= x_q[r*N+c-1];
    end

    if (r < 2) begin : gen_first
      always_ff @(posedge clk_i) x_q[r*N] <= x_in[r];
    end else begin : gen_skewed
      logic [8*(r-1)-1:0] skew_q;  // newest in the low byte
      always_ff @(posedge clk_i) {x_q[r*N], skew_q} <= {skew_q, x_in[r]};
    end

    for (genvar c = 0; c < N && r > 0; c++) begin : gen_sum
      logic [SumBits-1:0] above;
      if (r == 1) begin : gen_product
        assign above = SumBits'($signed(product[c]));
      end else begin : gen_above
        assign above = sum_q[(r-1)*N+c];
      end
      always_ff @(posedge clk_i) sum_q[r*N+c] <= above + SumBits'($signed(product[r*N+c]));
    end
  end

  // ---- accumulators -----------------------------------------------------------------------------
  // Column c works c cycles behind column 0: read the old row, add and write one cycle later.
  logic [RowBits-1:0]  row_0;
  logic [RowBits-1:0]  row_q [N];  // of column c, one cycle ago
  logic [31:0]         old [N];
  logic [LaneBits-1:0] lane_q;
  assign row_0 = busy_o ? acc_row_q : acc_row_i[RowBits-1:0];
  always_ff @(posedge clk_i) lane_q <= acc_lane_i;
  for (genvar c = 0; c < N; c++) begin : gen_column
    logic [RowBits-1:0] rd_row;
    logic [31:0] sum;
    always_ff @(posedge clk_i) row_q[c] <= rd_row;
    if (c == 0) begin : gen_first
      assign rd_row = row_0;
    end else begin : gen_next
      assign rd_row = row_q[c-1];
    end
    assign sum = 32'($signed(sum_q[(N-1)*N+c])) + (mode_q[2] ? old[c] : '0);
    // No row is read in the cycle in which it is written, so nothing is to be built for that.
    logic rd_en;
    assign rd_en = valid_q[N+c] || (acc_en_i && acc_lane_i == LaneBits'(c));
    ttpu_micro_ram #(.Rows(2 * AccRows)) i_acc (
      .clk_i, .rd_en_i(rd_en), .rd_addr_i(rd_row), .rd_data_o(old[c]),
      .wr_en_i(valid_q[N+1+c]), .wr_addr_i(row_q[c]), .wr_data_i(sum)
    );
`ifndef SYNTHESIS
    always_ff @(posedge clk_i) if (rst_ni) begin
      assert (!(rd_en && valid_q[N+1+c] && rd_row == row_q[c]))
        else $error("micro_mxu: a row is read while it is written");
    end
`endif
  end
  assign acc_data_o = old[lane_q];

  logic unused;
  assign unused = ^{cfg_data_i[31:24], acc_row_i};

`ifndef SYNTHESIS
  initial assert (N % 4 == 0 && N == 1 << LaneBits && AccRows == 1 << (RowBits - 1))
    else $fatal(1, "ttpu_micro_mxu: N must be 4, 8, 16.., AccRows a power of two");
  always_ff @(posedge clk_i) if (rst_ni) begin
    assert (!(busy_o && (w_we_i || cfg_we_i || acc_en_i)))
      else $error("micro_mxu: touched while busy");
    assert (!(w_we_i && 32'(w_index_i) >= N * Words)) else $error("micro_mxu: no such weights");
  end
`endif
endmodule
