// Checks a command's opcode, fields and support, without its addresses.
//
// Combinational. err_o is high if the command must be refused; cause_o and value_o (the opcode, or
// the value of the first offending field) then say why. Order: opcode, fields, support; fields in
// the order of the ISA reference. docs/reference/vpu.md lists the rules.
module ttpu_vpu_decode
  import ttpu_isa_pkg::*;
  import ttpu_pkg::*;
  import ttpu_vpu_pkg::*;
#(
    parameter int unsigned N = 16,
    parameter int unsigned HasFp = 1,
    parameter int unsigned VpuStages = 6,
    parameter int unsigned HasSfu = 1
) (
    input  cmd_t        cmd_i,
    output logic        err_o,
    output error_e      cause_o,
    output logic [31:0] value_o
);
  localparam bit NoFp = HasFp == 0;
  localparam bit NoSfu = HasSfu == 0;

  vpu_seta_t  seta;
  vpu_setb_t  setb;
  vpu_setd_t  setd;
  vpu_shape_t shape;
  vpu_stage_t stage;
  vpu_sfu_t   sfu;
  vpu_run_t   run;
  vpu_xpose_t xpose;
  logic [31:0] n0, n1, n2;
  logic bad0, bad1, bad2, bad_dims, bad_arg, bad_index;
  logic seta_field, setb_field, setd_field, shape_field, stage_field, sfu_field, run_field,
        xpose_field;
  logic seta_support, setb_support, setd_support, shape_support, stage_support, sfu_support;
  logic unknown, field, support;  // of this opcode

  function automatic logic undefined_type(input logic [2:0] t);
    undefined_type = t > 3'd4;
  endfunction

  function automatic logic float_type(input logic [2:0] t);
    float_type = t == DtypeBf16 || t == DtypeF32;
  endfunction

  function automatic logic undefined_op(input logic [5:0] op);
    undefined_op = op == 6'd15 || (op >= 6'd21 && op <= 6'd23) || op > 6'd30;
  endfunction

  function automatic logic float_op(input logic [5:0] op);
    float_op = op == VopI2f || op == VopF2i || (op >= VopFadd && op <= VopFmax) ||
               (op >= VopFceq && op <= VopFcle);
  endfunction

  // r + imm is 0, or 2^16 or more; the 0 without the carries: each bit of the sum is 0 if all below
  // are, when the bits differ just where one below is set.
  function automatic logic bad_count(input logic [31:0] r, input logic [15:0] imm);
    logic [15:0] unused;
    logic carry;
    {carry, unused} = {1'b0, r[15:0]} + {1'b0, imm};
    bad_count = (r[15:0] ^ imm) == {r[14:0] | imm[14:0], 1'b0} || r[31:16] != {16{carry}};
  endfunction

  function automatic logic bad_lanes(input logic [8:0] n);
    bad_lanes = n == 9'd0 || 32'(n) > N;
  endfunction

  always_comb begin
    seta = vpu_seta_t'(cmd_i.body);
    setb = vpu_setb_t'(cmd_i.body);
    setd = vpu_setd_t'(cmd_i.body);
    shape = vpu_shape_t'(cmd_i.body);
    stage = vpu_stage_t'(cmd_i.body);
    sfu = vpu_sfu_t'(cmd_i.body);
    run = vpu_run_t'(cmd_i.body);
    xpose = vpu_xpose_t'(cmd_i.body);
    n0 = cmd_i.c + 32'(shape.n0);
    n1 = cmd_i.b + 32'(shape.n1);
    n2 = cmd_i.a + 32'(shape.n2);
    bad0 = bad_count(cmd_i.c, shape.n0);
    bad1 = bad_count(cmd_i.b, shape.n1);
    bad2 = bad_count(cmd_i.a, shape.n2);
    bad_dims = (shape.row_dims == 2'd0) != (shape.row_reduce == ReduceNone);
    bad_arg = 32'(shape.arg) >= N;
    bad_index = 32'(stage.index) >= VpuStages;
    seta_field = undefined_type(seta.dtype) ||
                 (seta.src == VsrcAcc && seta.dtype != DtypeI32 && seta.dtype != DtypeF32) ||
                 (seta.dequant && float_type(seta.dtype));
    seta_support = NoFp && (float_type(seta.dtype) || seta.dequant);
    setb_field = undefined_type(setb.dtype) || (setb.dequant && float_type(setb.dtype));
    setb_support = NoFp && (float_type(setb.dtype) || setb.dequant);
    setd_field = undefined_type(setd.dtype) || (!setd.fp && float_type(setd.dtype));
    setd_support = NoFp && setd.fp;
    shape_field = bad0 || bad1 || bad2 || bad_dims || bad_arg;
    shape_support = NoFp && shape.fp;
    stage_field = undefined_op(stage.op) || stage.operand == 3'd7;
    stage_support = bad_index || (NoFp && float_op(stage.op));
    sfu_field = sfu.func > 4'd7;
    sfu_support = NoSfu && sfu.func != SfuNone;
    run_field = bad_lanes(run.lanes);
    xpose_field = bad_lanes(xpose.rows) || bad_lanes(xpose.lanes);
    unknown = 1'b1;
    case (cmd_i.opcode)
      OpVpuClear, OpVpuLdv, OpVpuSeta, OpVpuSetb, OpVpuSetd, OpVpuShape, OpVpuStage, OpVpuSfu,
      OpVpuRun, OpVpuXpose: unknown = 1'b0;
      default: ;
    endcase
    field = 1'b0;
    support = 1'b0;
    value_o = 32'd0;
    case (cmd_i.opcode)
      OpVpuSeta: begin
        field = seta_field;
        support = seta_support;
        value_o = !seta_field && NoFp && !float_type(seta.dtype) ? 32'd1 : 32'(seta.dtype);
      end
      OpVpuSetb: begin
        field = setb_field;
        support = setb_support;
        value_o = !setb_field && NoFp && !float_type(setb.dtype) ? 32'd1 : 32'(setb.dtype);
      end
      OpVpuSetd: begin
        field = setd_field;
        support = setd_support;
        value_o = setd_field ? 32'(setd.dtype) : 32'd1;
      end
      OpVpuShape: begin
        field = shape_field;
        support = shape_support;
        if (bad0) value_o = n0;
        else if (bad1) value_o = n1;
        else if (bad2) value_o = n2;
        else if (bad_dims) value_o = 32'(shape.row_dims);
        else if (bad_arg) value_o = 32'(shape.arg);
        else value_o = 32'd1;
      end
      OpVpuStage: begin
        field = stage_field;
        support = stage_support;
        if (undefined_op(stage.op)) value_o = 32'(stage.op);
        else if (stage.operand == 3'd7) value_o = 32'(stage.operand);
        else if (bad_index) value_o = 32'(stage.index);
        else value_o = 32'(stage.op);
      end
      OpVpuSfu: begin
        field = sfu_field;
        support = sfu_support;
        value_o = 32'(sfu.func);
      end
      OpVpuRun: begin
        field = run_field;
        value_o = 32'(run.lanes);
      end
      OpVpuXpose: begin
        field = xpose_field;
        value_o = bad_lanes(xpose.rows) ? 32'(xpose.rows) : 32'(xpose.lanes);
      end
      OpVpuClear, OpVpuLdv: ;
      default: value_o = 32'(cmd_i.opcode);
    endcase
    cause_o = unknown ? ErrIllegalOpcode : field ? ErrBadField : support ? ErrUnsupported : ErrNone;
  end

  // Opcodes and fields side by side: whether there is an error is wanted early.
  always_comb begin
    err_o = unknown || (cmd_i.opcode == OpVpuSeta && (seta_field || seta_support)) ||
            (cmd_i.opcode == OpVpuSetb && (setb_field || setb_support)) ||
            (cmd_i.opcode == OpVpuSetd && (setd_field || setd_support)) ||
            (cmd_i.opcode == OpVpuShape && (shape_field || shape_support)) ||
            (cmd_i.opcode == OpVpuStage && (stage_field || stage_support)) ||
            (cmd_i.opcode == OpVpuSfu && (sfu_field || sfu_support)) ||
            (cmd_i.opcode == OpVpuRun && run_field) ||
            (cmd_i.opcode == OpVpuXpose && xpose_field);
  end

  logic unused;
  assign unused = ^{cmd_i, seta, setb, setd, shape, stage, sfu, run, xpose};

`ifndef SYNTHESIS
  always_comb begin
    assert (err_o == (cause_o != ErrNone)) else $error("an error without a cause, or the reverse");
  end
  initial begin
    assert (N >= 2 && N <= 256 && 2 ** $clog2(N) == N)
    else $fatal(1, "N is a power of two, 2..256");
    assert (VpuStages >= 2 && VpuStages <= 16) else $fatal(1, "VpuStages is 2..16");
    assert (HasFp != 0 || HasSfu == 0) else $fatal(1, "the SFU needs floating point");
  end
`endif
endmodule
