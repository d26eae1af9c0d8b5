// Decoder of a microinstruction, combinational: what its number means for the sequencer and for the
// stage that carries it out. A number without a meaning does nothing.
module ttpu_micro_decode
  import ttpu_micro_pkg::*;
  import ttpu_micro_ctl_pkg::*;
(
  input  logic [5:0] op_i,
  input  logic       second_i,    // second part of st
  input  logic       first_lane_i,
  input  logic       last_lane_i,
  output control_t   ctl_o,
  output logic [3:0] extra_o,     // cycles in X beyond the first
  output logic       with_c_o,    // carry in is C
  output logic       sets_flag_o  // a flag may change at its end
);
  uop_e op;
  assign op = uop_e'(op_i);

  logic compares;
  assign compares = op_i[5:3] == 3'b101;  // beq..bgeu; jmp and call too, for which it does no harm

  always_comb begin
    ctl_o = '0;
    extra_o = '0;
    with_c_o = 1'b0;
    sets_flag_o = 1'b0;
    ctl_o.cmp_less = 1'b1;

    // The ALU's operations.
    unique case (op)
      UopPass: {ctl_o.write, ctl_o.alu.use_logic} = '1;
      UopIadd: {ctl_o.write, ctl_o.alu.use_sum, ctl_o.set_carry, sets_flag_o} = '1;
      UopIsub: {ctl_o.write, ctl_o.alu.use_sum, ctl_o.set_carry, sets_flag_o, ctl_o.sub} = '1;
      UopAddc: {ctl_o.write, ctl_o.alu.use_sum, ctl_o.set_carry, sets_flag_o, with_c_o} = '1;
      UopXor:  {ctl_o.write, ctl_o.alu.use_xor} = '1;
      UopImul: begin
        {ctl_o.write, ctl_o.mul, ctl_o.alu.use_ext} = '1;
        ctl_o.ext = ExtMul;
        extra_o = 4'd5;
      end
      UopIqmul: begin
        // The next lane follows when this one is multiplied; the last one stays until it is written.
        {ctl_o.mul, ctl_o.alu.use_ext, ctl_o.iqmul} = '1;
        ctl_o.write = last_lane_i;
        ctl_o.ext = ExtShift;
        extra_o = last_lane_i ? 4'd7 : 4'd4;
      end
      UopImin: {ctl_o.write, ctl_o.sub, ctl_o.alu.choose, ctl_o.alu.use_logic} = '1;
      UopImax: {ctl_o.write, ctl_o.sub, ctl_o.alu.choose, ctl_o.alu.use_logic, ctl_o.alu.invert} = '1;
      UopIshl: {ctl_o.write, ctl_o.alu.use_shift, ctl_o.alu.left} = '1;
      UopIsra: {ctl_o.write, ctl_o.alu.use_shift, ctl_o.alu.arithmetic} = '1;
      UopIsrl: {ctl_o.write, ctl_o.alu.use_shift} = '1;
      UopAnd: begin
        {ctl_o.write, ctl_o.alu.use_logic} = '1;
        ctl_o.alu.unit = LogicAnd;
      end
      UopOr: begin
        {ctl_o.write, ctl_o.alu.use_logic} = '1;
        ctl_o.alu.unit = LogicOr;
      end
      UopSlt:  {ctl_o.write, ctl_o.alu.use_lt, ctl_o.alu.invert, ctl_o.sub} = '1;
      UopSltu: {ctl_o.write, ctl_o.alu.use_lt, ctl_o.alu.invert, ctl_o.sub, ctl_o.alu.is_unsigned} = '1;
      UopExts: {ctl_o.write, ctl_o.alu.use_shift, ctl_o.alu.byte_ext, ctl_o.alu.byte_sign} = '1;
      UopExtz: {ctl_o.write, ctl_o.alu.use_shift, ctl_o.alu.byte_ext} = '1;
      UopPack: ctl_o.pack = 1'b1;
      UopLi, UopLin: begin
        {ctl_o.write, ctl_o.alu.use_logic, ctl_o.sub} = '1;
        ctl_o.alu.unit = LogicNotB;
      end
      UopIceq: begin
        {ctl_o.write, ctl_o.alu.use_logic, ctl_o.sub, ctl_o.set_pred} = '1;
        ctl_o.cmp_equal = 1'b1;
        ctl_o.cmp_less = 1'b0;
      end
      UopIclt: {ctl_o.write, ctl_o.alu.use_logic, ctl_o.sub, ctl_o.set_pred} = '1;
      UopIcle: begin
        {ctl_o.write, ctl_o.alu.use_logic, ctl_o.sub, ctl_o.set_pred} = '1;
        ctl_o.cmp_equal = 1'b1;
      end
      UopSel: {ctl_o.write, ctl_o.sub, ctl_o.alu.use_logic, ctl_o.alu.is_sel} = '1;

      // Memories and special registers.
      UopLd: begin
        {ctl_o.write, ctl_o.alu.use_ext, ctl_o.load} = '1;
        ctl_o.ext = ExtLmem;
        extra_o = 4'd1;
      end
      UopSt, UopStp: begin
        // The data (R[b] inverted twice) into the result register; then the address.
        ctl_o.take = op == UopStp && !second_i;
        ctl_o.alu.use_ext = op == UopStp;
        ctl_o.ext = ExtPack;
        ctl_o.alu.use_logic = op == UopSt;
        ctl_o.sub = !second_i;
        ctl_o.alu.unit = LogicNotB;
        ctl_o.store = second_i;
      end
      UopAld: begin
        {ctl_o.write, ctl_o.alu.use_ext, ctl_o.ald} = '1;
        ctl_o.ext = ExtAcc;
        extra_o = {3'b0, first_lane_i};
      end
      UopMfs: begin
        {ctl_o.write, ctl_o.alu.use_ext, ctl_o.spr_read} = '1;
        ctl_o.ext = ExtSpr;
      end
      UopMts: {ctl_o.spr_write, sets_flag_o} = '1;
      UopExec: ctl_o.exec = 1'b1;

      // Sequencing; where jumps go is seen in D.
      UopBeq: ctl_o.branch_eq = 1'b1;
      UopBne: ctl_o.branch_ne = 1'b1;
      UopBlt, UopBltu: ctl_o.branch_lt = 1'b1;
      UopBge, UopBgeu: ctl_o.branch_ge = 1'b1;
      UopCall, UopCallf: begin
        {ctl_o.write, ctl_o.alu.use_logic, ctl_o.sub} = '1;
        ctl_o.alu.unit = LogicNotB;
      end
      UopJr: ctl_o.jump_reg = 1'b1;
      default: ;
    endcase

    if (compares) begin
      ctl_o.sub = 1'b1;
      ctl_o.alu.is_unsigned = op_i[2];
    end
  end
endmodule
