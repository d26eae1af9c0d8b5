// What the scalar core must know of an instruction: the queue that takes it, and whether it is
// legal as far as the core checks (opcode, unused bits, queue). Combinational; used_i (body_bits() of
// the opcode) and unused_i (the bits of the body from there on) are known earlier.
module ttpu_decode
  import ttpu_isa_pkg::*;
  import ttpu_control_pkg::*;
#(
  parameter int unsigned DmaChannels = 2
) (
  input  logic [127:0]        instr_i,
  input  logic [6:0]          used_i,
  input  logic [BodyBits-1:0] unused_i,
  output decoded_t            decoded_o
);
  instr_t     instr;
  logic       legal, is_dma, is_sync, bad_unit, beyond;
  logic [1:0] channel;
  logic [2:0] unit;
  assign instr = instr_i;

  // Every DMA command has its channel, SYNC its unit, in the lowest bits of the body.
  assign channel = instr.body[1:0];
  assign legal = used_i != 7'd127;
  assign beyond = (instr.body & unused_i) != '0;

  always_comb begin
    is_dma = 1'b0;
    is_sync = 1'b0;
    unit = UnitScalar;
    case (instr.opcode)
      OpSync: begin
        is_sync = 1'b1;
        unit = instr.body[2:0];
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

  assign bad_unit = is_dma ? 32'(channel) >= DmaChannels
                           : is_sync && (unit == UnitScalar || unit > UnitVpu ||
                                         (unit == UnitDma1 && DmaChannels < 2));
  assign decoded_o = '{bad: !legal || beyond || bad_unit, illegal: !legal, beyond: beyond,
                       is_sync: is_sync, waits: instr.wait_value != '0 && unit == UnitScalar,
                       unit: unit, used: used_i};

  logic unused;
  assign unused = ^instr;
endmodule
