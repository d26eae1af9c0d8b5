// Buffer of one N x N tile: rows in, columns out.
//
// start_i forgets the tile. Each valid_i stores the next row; full_o is high once rows_i rows are
// in. get_i gives column col_i (element of row r in lane r) one cycle later on y_o, with valid_o.
// One row or column a cycle.
module ttpu_vpu_xpose #(
    parameter int unsigned N = 16,
    localparam int unsigned Width = N * 32,
    localparam int unsigned LaneBits = $clog2(N)
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             clear_i,
    input  logic             start_i,
    input  logic [8:0]       rows_i,
    input  logic             valid_i,
    input  logic [Width-1:0] x_i,
    output logic             full_o,
    input  logic             get_i,
    input  logic [8:0]       col_i,
    output logic             valid_o,
    output logic [Width-1:0] y_o
);
  logic [31:0] tile[N*N];  // element (row, column) at row * N + column
  logic [8:0] count_q;
  logic [Width-1:0] column;

  always_ff @(posedge clk_i) begin
    if (get_i) begin
      for (int unsigned r = 0; r < N; r++) column[r*32+:32] = tile[r*N+32'(col_i[LaneBits-1:0])];
      y_o <= column;
    end
    if (valid_i) begin
      for (int unsigned c = 0; c < N; c++) tile[32'(count_q[LaneBits-1:0])*N+c] = x_i[c*32+:32];
      count_q <= count_q + 9'd1;
    end
    if (!rst_ni || start_i) count_q <= 9'd0;
    valid_o <= get_i && rst_ni && !clear_i;
  end

  assign full_o = count_q == rows_i;

  logic unused;
  assign unused = ^{col_i};
endmodule
