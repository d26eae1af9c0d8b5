// What the scalar core must know of an instruction: the queue that takes it, and whether it is
// legal as far as the core checks (opcode, unused bits, queue). Combinational.
module ttpu_decode
  import ttpu_isa_pkg::*;
  import ttpu_control_pkg::*;
#(
  parameter int unsigned DmaChannels = 2
) (
  input  logic [7:0]           opcode_i,
  input  logic [BodyBits-1:0]  body_i,
  output logic                 to_queue_o,   // a unit command or SYNC
  output logic [NumQueues-1:0] queue_o,      // one-hot, valid with to_queue_o
  output logic [2:0]           bad_o,        // any: cause_o is not ErrNone
  output error_e               cause_o,      // ErrNone when legal
  output logic [31:0]          value_o       // what stands in the error's addr
);
  logic                legal, is_dma, is_sync, bad_unit, beyond;
  logic [6:0]          used;
  logic [BodyBits-1:0] unused;
  logic [1:0]          channel;
  logic [2:0]          unit;

  // Every DMA command has its channel, SYNC its unit, in the lowest bits of the body.
  assign channel = body_i[1:0];
  assign used = body_bits(opcode_i);
  assign legal = used != 7'd127;
  assign unused = body_i >> used;
  assign beyond = body_beyond(opcode_i, body_i);  // unused != '0
  // In parts, which are found in few levels of logic.
  localparam logic [BodyBits-1:0] High = {BodyBits{1'b1}} << 51;
  assign bad_o = {!legal || bad_unit, body_beyond(opcode_i, body_i & High),
                  body_beyond(opcode_i, body_i & ~High)};

  always_comb begin
    is_dma = 1'b0;
    is_sync = 1'b0;
    unit = UnitScalar;
    case (opcode_i)
      OpSync: begin
        is_sync = 1'b1;
        unit = body_i[2:0];
      end
      OpDmaShape, OpDmaHstride, OpDmaVstride, OpDmaLoad, OpDmaStore: begin
        is_dma = 1'b1;
        unit = {1'b0, channel} + 3'd1;
      end
      OpMxuLoadw: unit = UnitMxw;
      OpMxuShape, OpMxuMatmul: unit = UnitMxs;
      OpVpuClear, OpVpuSeta, OpVpuSetb, OpVpuSetd, OpVpuShape, OpVpuStage, OpVpuSfu, OpVpuLdv,
      OpVpuRun,
      OpVpuXpose: unit = UnitVpu;
      default: ;
    endcase
  end

  assign to_queue_o = legal && (is_sync || unit != UnitScalar);
  assign bad_unit = is_dma ? 32'(channel) >= DmaChannels
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
      value_o = {24'b0, opcode_i};
    end else if (beyond) begin
      cause_o = ErrBadField;
      value_o = unused[31:0];
    end else if (bad_unit) begin
      cause_o = is_sync && (unit == UnitScalar || unit == 3'd7) ? ErrBadField : ErrUnsupported;
      value_o = is_dma ? {30'b0, channel} : {29'b0, unit};
    end
  end
endmodule
