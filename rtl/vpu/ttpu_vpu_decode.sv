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

  function automatic logic bad_count(input logic [31:0] n);
    bad_count = n == 32'd0 || n > 32'd65535;
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
    cause_o = ErrNone;
    value_o = 32'd0;
    case (cmd_i.opcode)
      OpVpuClear, OpVpuLdv: ;
      OpVpuSeta: begin
        value_o = 32'(seta.dtype);
        if (undefined_type(seta.dtype) ||
            (seta.src == VsrcAcc && seta.dtype != DtypeI32 && seta.dtype != DtypeF32) ||
            (seta.dequant && float_type(seta.dtype)))
          cause_o = ErrBadField;
        else if (NoFp && float_type(seta.dtype)) cause_o = ErrUnsupported;
        else if (NoFp && seta.dequant) begin
          cause_o = ErrUnsupported;
          value_o = 32'd1;
        end
      end
      OpVpuSetb: begin
        value_o = 32'(setb.dtype);
        if (undefined_type(setb.dtype) || (setb.dequant && float_type(setb.dtype)))
          cause_o = ErrBadField;
        else if (NoFp && float_type(setb.dtype)) cause_o = ErrUnsupported;
        else if (NoFp && setb.dequant) begin
          cause_o = ErrUnsupported;
          value_o = 32'd1;
        end
      end
      OpVpuSetd: begin
        value_o = 32'(setd.dtype);
        if (undefined_type(setd.dtype) || (!setd.fp && float_type(setd.dtype)))
          cause_o = ErrBadField;
        else if (NoFp && setd.fp) begin
          cause_o = ErrUnsupported;
          value_o = 32'd1;
        end
      end
      OpVpuShape: begin
        if (bad_count(n0)) begin
          cause_o = ErrBadField;
          value_o = n0;
        end else if (bad_count(n1)) begin
          cause_o = ErrBadField;
          value_o = n1;
        end else if (bad_count(n2)) begin
          cause_o = ErrBadField;
          value_o = n2;
        end else if ((shape.row_dims == 2'd0) != (shape.row_reduce == ReduceNone)) begin
          cause_o = ErrBadField;
          value_o = 32'(shape.row_dims);
        end else if (32'(shape.arg) >= N) begin
          cause_o = ErrBadField;
          value_o = 32'(shape.arg);
        end else if (NoFp && shape.fp) begin
          cause_o = ErrUnsupported;
          value_o = 32'd1;
        end
      end
      OpVpuStage: begin
        if (undefined_op(stage.op)) begin
          cause_o = ErrBadField;
          value_o = 32'(stage.op);
        end else if (stage.operand == 3'd7) begin
          cause_o = ErrBadField;
          value_o = 32'(stage.operand);
        end else if (32'(stage.index) >= VpuStages) begin
          cause_o = ErrUnsupported;
          value_o = 32'(stage.index);
        end else if (NoFp && float_op(stage.op)) begin
          cause_o = ErrUnsupported;
          value_o = 32'(stage.op);
        end
      end
      OpVpuSfu: begin
        value_o = 32'(sfu.func);
        if (sfu.func > 4'd7) cause_o = ErrBadField;
        else if (NoSfu && sfu.func != SfuNone) cause_o = ErrUnsupported;
      end
      OpVpuRun: begin
        value_o = 32'(run.lanes);
        if (bad_lanes(run.lanes)) cause_o = ErrBadField;
      end
      OpVpuXpose: begin
        value_o = bad_lanes(xpose.rows) ? 32'(xpose.rows) : 32'(xpose.lanes);
        if (bad_lanes(xpose.rows) || bad_lanes(xpose.lanes)) cause_o = ErrBadField;
      end
      default: begin
        cause_o = ErrIllegalOpcode;
        value_o = 32'(cmd_i.opcode);
      end
    endcase
    err_o = cause_o != ErrNone;
  end

  logic unused;
  assign unused = ^{cmd_i, seta, setb, setd, shape, stage, sfu, run, xpose};

`ifndef SYNTHESIS
  initial begin
    assert (N >= 2 && N <= 256 && 2 ** $clog2(N) == N)
    else $fatal(1, "N is a power of two, 2..256");
    assert (VpuStages >= 2 && VpuStages <= 16) else $fatal(1, "VpuStages is 2..16");
    assert (HasFp != 0 || HasSfu == 0) else $fatal(1, "the SFU needs floating point");
  end
`endif
endmodule
