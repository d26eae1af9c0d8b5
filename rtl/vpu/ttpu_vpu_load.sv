// Picks a row of elements out of a word and widens them to 32-bit lanes; dequantises if asked.
//
// Latency 3 cycles (1 without floating point), one row a cycle. S8 and U8 widen to int32, BF16 to
// fp32 (subnormals to zero of their sign), I32 and F32 pass. With dequant (integer types): fp32(x -
// zp) * scale, the difference modulo 2^32.
module ttpu_vpu_load
  import ttpu_isa_pkg::*;
  import ttpu_fp_conv_pkg::*;
#(
    parameter int unsigned N = 16,
    parameter int unsigned HasFp = 1,
    localparam int unsigned Width = N * 32
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic              valid_i,
    input  logic [Width-1:0]  word_i,
    input  logic [1:0]        sel_i,      // row within the word, in units of N bytes
    // configuration, constant while rows are on their way
    input  dtype_e            dtype_i,
    input  logic              raw_i,      // BF16: leave subnormals
    input  logic              dequant_i,
    input  logic signed [8:0] zp_i,
    input  logic [31:0]       scale_i,
    output logic [Width-1:0]  x_o
);
  logic [N*8-1:0] bytes;
  logic [31:0] x1[N];
  logic [Width-1:0] packed1;

  if (HasFp != 0) begin : gen_fp
    logic v1_q, v2_q;
    logic [N*16-1:0] halves;
    logic [31:0] x2[N];
    logic [31:0] x3[N];
    logic [Width-1:0] packed3;

    always_ff @(posedge clk_i) begin
      if (v2_q) begin
        if (dequant_i) begin
          for (int unsigned l = 0; l < N; l++) x3[l] = fp32_mul(x2[l], scale_i);
          for (int unsigned l = 0; l < N; l++) packed3[l*32+:32] = x3[l];
          x_o <= packed3;
        end else begin
          x_o <= packed1;
        end
      end
      if (v1_q) begin
        if (dequant_i) begin
          for (int unsigned l = 0; l < N; l++) x2[l] = int_to_fp32(x1[l] - {{23{zp_i[8]}}, zp_i});
        end else begin
          for (int unsigned l = 0; l < N; l++) packed1[l*32+:32] = x1[l];
        end
      end
      if (valid_i) begin
        case (sel_i)
          2'd0: bytes = word_i[0+:N*8];
          2'd1: bytes = word_i[N*8+:N*8];
          2'd2: bytes = word_i[N*16+:N*8];
          default: bytes = word_i[N*24+:N*8];
        endcase
        halves = sel_i[1] ? word_i[N*16+:N*16] : word_i[0+:N*16];
        case (dtype_i)
          DtypeS8: for (int unsigned l = 0; l < N; l++) x1[l] = 32'($signed(bytes[l*8+:8]));
          DtypeU8: for (int unsigned l = 0; l < N; l++) x1[l] = 32'(bytes[l*8+:8]);
          DtypeBf16: begin
            for (int unsigned l = 0; l < N; l++) x1[l] = {halves[l*16+:16], 16'd0};
            if (!raw_i) for (int unsigned l = 0; l < N; l++) x1[l] = fp32_flush(x1[l]);
          end
          default: for (int unsigned l = 0; l < N; l++) x1[l] = word_i[l*32+:32];
        endcase
      end
      v1_q <= valid_i && rst_ni;
      v2_q <= v1_q && rst_ni;
    end
  end else begin : gen_int
    always_ff @(posedge clk_i) begin
      if (valid_i) begin
        case (sel_i)
          2'd0: bytes = word_i[0+:N*8];
          2'd1: bytes = word_i[N*8+:N*8];
          2'd2: bytes = word_i[N*16+:N*8];
          default: bytes = word_i[N*24+:N*8];
        endcase
        case (dtype_i)
          DtypeS8: for (int unsigned l = 0; l < N; l++) x1[l] = 32'($signed(bytes[l*8+:8]));
          DtypeU8: for (int unsigned l = 0; l < N; l++) x1[l] = 32'(bytes[l*8+:8]);
          default: for (int unsigned l = 0; l < N; l++) x1[l] = word_i[l*32+:32];
        endcase
        for (int unsigned l = 0; l < N; l++) packed1[l*32+:32] = x1[l];
        x_o <= packed1;
      end
    end
    logic unused;
    assign unused = ^{rst_ni, raw_i, dequant_i, zp_i, scale_i};
  end
endmodule
