// The VPU's configuration registers.
//
// A command of VPU_CLEAR, SETA, SETB, SETD, SHAPE, STAGE or SFU that take_i presents (already
// checked) is in force from the next cycle; other commands change nothing. clear_i and reset act as
// VPU_CLEAR.
module ttpu_vpu_regs
  import ttpu_isa_pkg::*;
  import ttpu_pkg::*;
  import ttpu_vpu_pkg::*;
#(
    parameter int unsigned VpuStages = 6
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   clear_i,
    input  logic                   take_i,
    input  cmd_t                   cmd_i,
    output stream_t                a_o,
    output stream_t                b_o,
    output result_t                d_o,
    output shape_t                 shape_o,
    output stage_t [VpuStages-1:0] stage_o,
    output sfu_e                   sfu_o
);
  vpu_seta_t  seta;
  vpu_setb_t  setb;
  vpu_setd_t  setd;
  vpu_shape_t shape;
  vpu_stage_t stage;
  vpu_sfu_t   sfu;

  always_comb begin
    seta = vpu_seta_t'(cmd_i.body);
    setb = vpu_setb_t'(cmd_i.body);
    setd = vpu_setd_t'(cmd_i.body);
    shape = vpu_shape_t'(cmd_i.body);
    stage = vpu_stage_t'(cmd_i.body);
    sfu = vpu_sfu_t'(cmd_i.body);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i || (take_i && cmd_i.opcode == OpVpuClear)) begin
      a_o <= StreamAReset;
      b_o <= StreamBReset;
      d_o <= ResultReset;
      shape_o <= ShapeReset;
      sfu_o <= SfuNone;
      for (int unsigned i = 0; i < VpuStages; i++) stage_o[i] <= StageReset;
    end else if (take_i) begin
      case (cmd_i.opcode)
        OpVpuSeta:
          a_o <= '{on: 1'b1, acc: seta.src == VsrcAcc, dtype: dtype_e'(seta.dtype),
                   dequant: seta.dequant, zp: seta.zp, scale: cmd_i.a,
                   s0: seta.s0, s1: seta.s1, s2: seta.s2};
        OpVpuSetb:
          b_o <= '{on: setb.enable, acc: 1'b0, dtype: dtype_e'(setb.dtype),
                   dequant: setb.dequant, zp: setb.zp, scale: cmd_i.a,
                   s0: setb.s0, s1: setb.s1, s2: setb.s2};
        OpVpuSetd:
          d_o <= '{fp: setd.fp, dtype: dtype_e'(setd.dtype), zp: setd.zp,
                   s0: setd.s0, s1: setd.s1, s2: setd.s2};
        OpVpuShape:
          shape_o <= '{n0: cmd_i.c[15:0] + shape.n0, n1: cmd_i.b[15:0] + shape.n1,
                       n2: cmd_i.a[15:0] + shape.n2, row_reduce: reduce_e'(shape.row_reduce),
                       row_dims: shape.row_dims, lane_reduce: reduce_e'(shape.lane_reduce),
                       fp: shape.fp, shuffle: shuffle_e'(shape.shuffle), arg: shape.arg};
        OpVpuStage:
          for (int unsigned i = 0; i < VpuStages; i++) begin
            if (32'(stage.index) == i) begin
              stage_o[i] <= '{op: vop_e'(stage.op), operand: voperand_e'(stage.operand),
                              swap: stage.swap, shift: stage.shift, value: cmd_i.a + stage.imm};
            end
          end
        OpVpuSfu: sfu_o <= sfu_e'(sfu.func);
        default: ;
      endcase
    end
  end

  logic unused;
  assign unused = ^{cmd_i, seta, setb, setd, shape, stage, sfu};
endmodule
