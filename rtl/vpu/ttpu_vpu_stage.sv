// One arithmetic stage of the chain over all lanes.
//
// Latency 1 cycle, one row a cycle; a_o, b_o and pred_o travel beside x_o. The operations are those
// of `vop` in the ISA reference: x is the chain's value, y the operand, exchanged first if swap is
// set. The stage behind the special function unit takes its row from there (alt_*) when alt_i is
// high. Without floating point (HasFp = 0) control never configures a float operation.
module ttpu_vpu_stage
  import ttpu_isa_pkg::*;
  import ttpu_vpu_pkg::*;
  import ttpu_fp_pkg::*;
  import ttpu_fp_conv_pkg::*;
#(
    parameter int unsigned N = 16,
    parameter int unsigned HasFp = 1,
    localparam int unsigned Width = N * 32
) (
    input  logic             clk_i,
    input  logic             valid_i,
    input  logic [Width-1:0] x_i,
    input  logic [Width-1:0] a_i,
    input  logic [Width-1:0] b_i,
    input  logic [N-1:0]     pred_i,
    input  logic             alt_i,
    input  logic [Width-1:0] alt_x_i,
    input  logic [Width-1:0] alt_a_i,
    input  logic [Width-1:0] alt_b_i,
    input  logic [N-1:0]     alt_pred_i,
    // configuration, constant while rows are on their way
    input  stage_t           cfg_i,
    input  logic [Width-1:0] v0_i,
    input  logic [Width-1:0] v1_i,
    input  logic [Width-1:0] v2_i,
    input  logic [Width-1:0] v3_i,
    output logic [Width-1:0] x_o,
    output logic [Width-1:0] a_o,
    output logic [Width-1:0] b_o,
    output logic [N-1:0]     pred_o
);
  logic [31:0] xs[N];
  logic [31:0] ys[N];
  logic [31:0] rs[N];
  logic [63:0] ps[N];
  logic [N-1:0] pred;
  logic [Width-1:0] x, operand, result;

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      a_o <= alt_i ? alt_a_i : a_i;
      b_o <= alt_i ? alt_b_i : b_i;
      pred = alt_i ? alt_pred_i : pred_i;
      x = alt_i ? alt_x_i : x_i;
      if (cfg_i.op == VopPass && !cfg_i.swap) begin
        x_o <= x;
      end else begin
        for (int unsigned l = 0; l < N; l++) xs[l] = x[l*32+:32];
        if (cfg_i.operand == VoperandConst) begin
          for (int unsigned l = 0; l < N; l++) ys[l] = cfg_i.value;
        end else begin
          case (cfg_i.operand)
            VoperandV0: operand = v0_i;
            VoperandV1: operand = v1_i;
            VoperandV2: operand = v2_i;
            VoperandV3: operand = v3_i;
            VoperandB: operand = alt_i ? alt_b_i : b_i;
            default: operand = alt_i ? alt_a_i : a_i;
          endcase
          for (int unsigned l = 0; l < N; l++) ys[l] = operand[l*32+:32];
        end
        if (cfg_i.swap) begin
          for (int unsigned l = 0; l < N; l++) rs[l] = xs[l];
          for (int unsigned l = 0; l < N; l++) xs[l] = ys[l];
          for (int unsigned l = 0; l < N; l++) ys[l] = rs[l];
        end
        for (int unsigned l = 0; l < N; l++) rs[l] = xs[l];
        case (cfg_i.op)
          VopIadd: for (int unsigned l = 0; l < N; l++) rs[l] = xs[l] + ys[l];
          VopIsub: for (int unsigned l = 0; l < N; l++) rs[l] = xs[l] - ys[l];
          VopImin:
            for (int unsigned l = 0; l < N; l++)
              rs[l] = $signed(ys[l]) < $signed(xs[l]) ? ys[l] : xs[l];
          VopImax:
            for (int unsigned l = 0; l < N; l++)
              rs[l] = $signed(ys[l]) > $signed(xs[l]) ? ys[l] : xs[l];
          VopIshl: for (int unsigned l = 0; l < N; l++) rs[l] = xs[l] << ys[l][4:0];
          VopIsra: for (int unsigned l = 0; l < N; l++) rs[l] = $signed(xs[l]) >>> ys[l][4:0];
          VopIsrl: for (int unsigned l = 0; l < N; l++) rs[l] = xs[l] >> ys[l][4:0];
          VopAnd: for (int unsigned l = 0; l < N; l++) rs[l] = xs[l] & ys[l];
          VopOr: for (int unsigned l = 0; l < N; l++) rs[l] = xs[l] | ys[l];
          VopXor: for (int unsigned l = 0; l < N; l++) rs[l] = xs[l] ^ ys[l];
          VopImul, VopIqmul: begin
            for (int unsigned l = 0; l < N; l++)
              ps[l] = 64'($signed(xs[l])) * 64'($signed(ys[l]));
            if (cfg_i.op == VopImul) for (int unsigned l = 0; l < N; l++) rs[l] = ps[l][31:0];
            else for (int unsigned l = 0; l < N; l++) rs[l] = requantise(ps[l], cfg_i.shift);
          end
          VopIceq: for (int unsigned l = 0; l < N; l++) pred[l] = xs[l] == ys[l];
          VopIclt: for (int unsigned l = 0; l < N; l++) pred[l] = $signed(xs[l]) < $signed(ys[l]);
          VopIcle: for (int unsigned l = 0; l < N; l++) pred[l] = $signed(xs[l]) <= $signed(ys[l]);
          VopSel: for (int unsigned l = 0; l < N; l++) rs[l] = pred[l] ? xs[l] : ys[l];
          default: ;
        endcase
        if (HasFp != 0) begin
          case (cfg_i.op)
            VopFadd, VopFsub: begin
              for (int unsigned l = 0; l < N; l++)
                ys[l] = ys[l] ^ {cfg_i.op == VopFsub, 31'd0};
              for (int unsigned l = 0; l < N; l++) rs[l] = fp32_add(xs[l], ys[l]);
            end
            VopFmul: for (int unsigned l = 0; l < N; l++) rs[l] = fp32_mul(xs[l], ys[l]);
            VopFmin: for (int unsigned l = 0; l < N; l++) rs[l] = fp32_minmax(xs[l], ys[l], 1'b0);
            VopFmax: for (int unsigned l = 0; l < N; l++) rs[l] = fp32_minmax(xs[l], ys[l], 1'b1);
            VopI2f: for (int unsigned l = 0; l < N; l++) rs[l] = int_to_fp32(xs[l]);
            VopF2i: for (int unsigned l = 0; l < N; l++) rs[l] = fp32_to_int(xs[l]);
            VopFceq: for (int unsigned l = 0; l < N; l++) pred[l] = fp32_eq(xs[l], ys[l]);
            VopFclt: for (int unsigned l = 0; l < N; l++) pred[l] = fp32_lt(xs[l], ys[l]);
            VopFcle:
              for (int unsigned l = 0; l < N; l++)
                pred[l] = fp32_lt(xs[l], ys[l]) | fp32_eq(xs[l], ys[l]);
            default: ;
          endcase
        end
        for (int unsigned l = 0; l < N; l++) result[l*32+:32] = rs[l];
        x_o <= result;
      end
      pred_o <= pred;
    end
  end
endmodule
