// What the scalar core must know of an instruction: the queue that takes it, and whether it is legal as
// far as the core checks (opcode, unused bits, queue). Combinational.
module ttpu_decode
  import ttpu_isa_pkg::*;
  import ttpu_control_pkg::*;
#(
  parameter int unsigned DmaChannels = 2
) (
  input  instr_t               instr_i,
  output logic                 to_queue_o,   // a unit command or SYNC
  output logic [NumQueues-1:0] queue_o,      // one-hot, valid with to_queue_o
  output error_e               cause_o,      // ErrNone when legal
  output logic [31:0]          value_o       // what stands in the error's addr
);
  // Views of the body.
  tag_t         f_imm;
  sync_t        f_sync;
  beq_t         f_branch;
  dma_shape_t   f_dma_shape;
  dma_vstride_t f_dma_vstride;
  dma_load_t    f_dma_load;
  mxu_loadw_t   f_loadw;
  mxu_shape_t   f_mxu_shape;
  mxu_matmul_t  f_matmul;
  vpu_seta_t    f_seta;
  vpu_setb_t    f_setb;
  vpu_setd_t    f_setd;
  vpu_shape_t   f_vpu_shape;
  vpu_stage_t   f_stage;
  vpu_sfu_t     f_sfu;
  vpu_ldv_t     f_ldv;
  vpu_run_t     f_run;
  vpu_xpose_t   f_xpose;
  assign f_imm = instr_i.body;
  assign f_sync = instr_i.body;
  assign f_branch = instr_i.body;
  assign f_dma_shape = instr_i.body;
  assign f_dma_vstride = instr_i.body;
  assign f_dma_load = instr_i.body;
  assign f_loadw = instr_i.body;
  assign f_mxu_shape = instr_i.body;
  assign f_matmul = instr_i.body;
  assign f_seta = instr_i.body;
  assign f_setb = instr_i.body;
  assign f_setd = instr_i.body;
  assign f_vpu_shape = instr_i.body;
  assign f_stage = instr_i.body;
  assign f_sfu = instr_i.body;
  assign f_ldv = instr_i.body;
  assign f_run = instr_i.body;
  assign f_xpose = instr_i.body;

  logic                legal, is_dma, is_sync, bad_unit;
  logic [BodyBits-1:0] unused;
  logic [2:0]          unit;

  always_comb begin
    legal = 1'b1;
    is_dma = 1'b0;
    is_sync = 1'b0;
    unused = '0;
    unit = UnitScalar;
    case (instr_i.opcode)
      OpNop, OpHalt, OpJr: unused = instr_i.body;
      OpTag, OpAdd, OpSub, OpMul, OpAnd, OpOr, OpXor, OpShl, OpShr, OpSra, OpSlt, OpSltu, OpLds, OpSts:
        unused = BodyBits'(f_imm.unused);
      OpBeq, OpBne, OpBlt, OpBge, OpBltu, OpBgeu, OpJal, OpDbnz: unused = BodyBits'(f_branch.unused);
      OpSync: begin
        unused = BodyBits'(f_sync.unused);
        unit = f_sync.unit;
        is_sync = 1'b1;
      end
      OpDmaShape: begin
        unused = BodyBits'(f_dma_shape.unused);
        is_dma = 1'b1;
      end
      OpDmaHstride: is_dma = 1'b1;
      OpDmaVstride: begin
        unused = BodyBits'(f_dma_vstride.unused);
        is_dma = 1'b1;
      end
      OpDmaLoad, OpDmaStore: begin
        unused = BodyBits'(f_dma_load.unused);
        is_dma = 1'b1;
      end
      OpMxuLoadw: begin
        unused = BodyBits'(f_loadw.unused);
        unit = UnitMxw;
      end
      OpMxuShape: begin
        unused = BodyBits'(f_mxu_shape.unused);
        unit = UnitMxs;
      end
      OpMxuMatmul: begin
        unused = BodyBits'(f_matmul.unused);
        unit = UnitMxs;
      end
      OpVpuClear: begin
        unused = instr_i.body;
        unit = UnitVpu;
      end
      OpVpuSeta: begin
        unused = BodyBits'(f_seta.unused);
        unit = UnitVpu;
      end
      OpVpuSetb: begin
        unused = BodyBits'(f_setb.unused);
        unit = UnitVpu;
      end
      OpVpuSetd: begin
        unused = BodyBits'(f_setd.unused);
        unit = UnitVpu;
      end
      OpVpuShape: begin
        unused = BodyBits'(f_vpu_shape.unused);
        unit = UnitVpu;
      end
      OpVpuStage: begin
        unused = BodyBits'(f_stage.unused);
        unit = UnitVpu;
      end
      OpVpuSfu: begin
        unused = BodyBits'(f_sfu.unused);
        unit = UnitVpu;
      end
      OpVpuLdv: begin
        unused = BodyBits'(f_ldv.unused);
        unit = UnitVpu;
      end
      OpVpuRun: begin
        unused = BodyBits'(f_run.unused);
        unit = UnitVpu;
      end
      OpVpuXpose: begin
        unused = BodyBits'(f_xpose.unused);
        unit = UnitVpu;
      end
      default: legal = 1'b0;
    endcase
    // Every DMA command has its channel in the lowest bits of the body.
    if (is_dma) unit = {1'b0, f_dma_load.channel} + 3'd1;
  end

  assign to_queue_o = legal && (is_sync || unit != UnitScalar);
  assign bad_unit = is_dma ? 32'(f_dma_load.channel) >= DmaChannels
                           : is_sync && (unit == UnitScalar || unit > UnitVpu ||
                                         (unit == UnitDma1 && DmaChannels < 2));

  always_comb begin
    queue_o = '0;
    for (int unsigned q = 0; q < NumQueues; q++) queue_o[q] = unit == 3'(q + 1);
  end

  always_comb begin
    cause_o = ErrNone;
    value_o = '0;
    if (!legal) begin
      cause_o = ErrIllegalOpcode;
      value_o = {24'b0, instr_i.opcode};
    end else if (unused != '0) begin
      cause_o = ErrBadField;
      value_o = unused[31:0];
    end else if (bad_unit) begin
      cause_o = is_sync && (unit == UnitScalar || unit == 3'd7) ? ErrBadField : ErrUnsupported;
      value_o = is_dma ? {30'b0, f_dma_load.channel} : {29'b0, unit};
    end
  end
endmodule
