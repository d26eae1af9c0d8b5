// What the engine's decoder tells the stage that carries a microinstruction out.
package ttpu_micro_ctl_pkg;
  // What the logic unit gives.
  typedef enum logic [1:0] {
    LogicA    = 2'd0,
    LogicAnd  = 2'd1,
    LogicOr   = 2'd2,
    LogicNotB = 2'd3
  } logic_e;

  // What comes from outside the ALU.
  typedef enum logic [2:0] {
    ExtPack  = 3'd0,  // the packer
    ExtMul   = 3'd1,  // low word of the product
    ExtShift = 3'd2,  // product >> 31
    ExtLmem  = 3'd4,
    ExtAcc   = 3'd5,
    ExtSpr   = 3'd6
  } ext_e;

  // For the ALU.
  typedef struct packed {
    logic   use_sum;   // result: adder
    logic   use_xor;   // result: a ^ b
    logic   use_logic; // result: logic unit
    logic   use_shift; // result: shifter
    logic   use_ext;   // result: from outside
    logic   use_lt;    // result: the contrary of the comparison
    logic_e unit;
    logic   choose;    // result: b in place of a by the contrary of the comparison
    logic   invert;    // comparison: a >= b in place of a < b
    logic   is_sel;    // logic unit: a or b by the predicate
    logic   is_unsigned;
    logic   left;
    logic   arithmetic;
    logic   byte_ext;  // exts, extz
    logic   byte_sign;
  } alu_t;

  // One microinstruction on one lane. The first group makes something happen, so it is clear when
  // nothing is to be done; the others are free then.
  typedef struct packed {
    logic   write;     // the result goes to R[d]
    logic   set_pred;  // P[lane] = comparison
    logic   set_carry;
    logic   branch_eq; // to the target, if equal, unequal, less, not less
    logic   branch_ne;
    logic   branch_lt;
    logic   branch_ge;
    logic   jump_reg;  // to operand a
    logic   spr_write;
    logic   spr_read;
    logic   load;      // ld
    logic   store;     // the second part of st, stp
    logic   pack;      // operand a to the packer
    logic   take;      // four bytes from it
    logic   ald;
    logic   exec;
    logic   mul;
    logic   iqmul;
    logic   sub;       // operand b is inverted; carry in
    logic   cmp_equal; // predicate: equal
    logic   cmp_less;  //   or less
    ext_e   ext;
    alu_t   alu;
  } control_t;
endpackage
