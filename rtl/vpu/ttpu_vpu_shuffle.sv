// Moves lanes: NONE lane l takes l, ROTATE (l + arg) mod N, BROADCAST arg, PERMUTE index[l] mod N.
//
// Latency 1 cycle, one row a cycle.
module ttpu_vpu_shuffle
  import ttpu_isa_pkg::*;
#(
    parameter int unsigned N = 16,
    localparam int unsigned Width = N * 32
) (
    input  logic             clk_i,
    input  logic             valid_i,
    input  logic [Width-1:0] x_i,
    // configuration, constant while rows are on their way
    input  shuffle_e         shuffle_i,
    input  logic [7:0]       arg_i,
    input  logic [Width-1:0] index_i,
    output logic [Width-1:0] x_o
);
  localparam int unsigned LaneBits = $clog2(N);
  logic [31:0] xs[N];
  logic [LaneBits-1:0] from[N];
  logic [Width-1:0] moved;

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      if (shuffle_i == ShuffleNone) begin
        x_o <= x_i;
      end else begin
        for (int unsigned l = 0; l < N; l++) xs[l] = x_i[l*32+:32];
        case (shuffle_i)
          ShuffleRotate:
            for (int unsigned l = 0; l < N; l++) from[l] = l[LaneBits-1:0] + arg_i[LaneBits-1:0];
          ShuffleBroadcast: for (int unsigned l = 0; l < N; l++) from[l] = arg_i[LaneBits-1:0];
          default: for (int unsigned l = 0; l < N; l++) from[l] = index_i[l*32+:LaneBits];
        endcase
        for (int unsigned l = 0; l < N; l++) moved[l*32+:32] = xs[from[l]];
        x_o <= moved;
      end
    end
  end

  logic unused;
  assign unused = ^{arg_i};
endmodule
