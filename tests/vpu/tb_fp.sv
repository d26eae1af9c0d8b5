// The functions of the floating point packages over many operand pairs at once.
module tb_fp
  import ttpu_fp_pkg::*;
  import ttpu_fp_conv_pkg::*;
  import ttpu_fp_pipe_pkg::*;
#(
    parameter int unsigned Pairs = 64
) (
    input  logic [31:0] x_i[Pairs],
    input  logic [31:0] y_i[Pairs],
    input  logic [8:0]  zp_i,
    input  logic [4:0]  shift_i,
    output logic [31:0] add_o[Pairs],
    output logic [31:0] mul_o[Pairs],
    output logic [31:0] bf16_mul_o[Pairs],  // of the high halves
    output logic [31:0] min_o[Pairs],
    output logic [31:0] max_o[Pairs],
    output logic [2:0]  order_o[Pairs],     // {x <= y, x < y, x == y}
    output logic [31:0] i2f_o[Pairs],
    output logic [31:0] f2i_o[Pairs],
    output logic [15:0] bf16_o[Pairs],
    output logic [15:0] bytes_o[Pairs],     // {unsigned, signed} saturation of integer x + zp
    output logic [31:0] requantise_o[Pairs],
    output logic [31:0] parts_o[Pairs],         // the sum in four parts
    output logic [31:0] loose_o[Pairs],         // the same by way of a loose sum
    output logic [22:0] parts_int_o[Pairs],     // the sum of integers in four parts
    output logic [22:0] settled_int_o[Pairs],   // the same by add_settle
    output logic [31:0] pe_o[Pairs],            // the product of a PE, of the high halves
    output logic [22:0] pe_int_o[Pairs]         // of integers, of bits 24:16
);
  // A loose number.
  function automatic logic [31:0] loosen(input logic [31:0] a);
    loosen = a;
    loosen[22] = a[22] | is_nan(a[30:0]);
  endfunction
  // fp32 of a loose number.
  function automatic logic [31:0] settle(input logic [31:0] a);
    settle = a;
    settle[21:0] = ((a[30:23] == 8'd0) | (a[30:23] == 8'hff)) ? 22'd0 : a[21:0];
    settle[22] = a[22] & (a[30:23] != 8'd0);
  endfunction
  function automatic logic [31:0] parts(input logic [31:0] a, input logic [31:0] b,
                                        input logic fp, input logic last);
    logic [31:0] x;
    x = add_larger(a, b, fp);
    if (last)
      parts = add_settle(x[31:23], add_normalise(add_sum(x[22:0], add_order(a, b, fp), fp), fp), fp);
    else
      parts = add_round(x[31:23], add_normalise(add_sum(x[22:0], add_order(a, b, fp), fp), fp), fp);
  endfunction
  function automatic logic [31:0] product(input logic [15:0] a, input logic [15:0] b,
                                          input logic fp);
    product = pe_product(pe_multiply(a[8:0], b[8:0], fp), pe_exponent(a, b), fp);
  endfunction

  always_comb begin
    for (int unsigned i = 0; i < Pairs; i++) begin
      add_o[i] = fp32_add(x_i[i], y_i[i]);
      mul_o[i] = fp32_mul(x_i[i], y_i[i]);
      bf16_mul_o[i] = bf16_mul(x_i[i][31:16], y_i[i][31:16]);
      min_o[i] = fp32_minmax(x_i[i], y_i[i], 1'b0);
      max_o[i] = fp32_minmax(x_i[i], y_i[i], 1'b1);
      order_o[i] = {fp32_lt(x_i[i], y_i[i]) | fp32_eq(x_i[i], y_i[i]),
                    fp32_lt(x_i[i], y_i[i]), fp32_eq(x_i[i], y_i[i])};
      i2f_o[i] = int_to_fp32(x_i[i]);
      f2i_o[i] = fp32_to_int(x_i[i]);
      bf16_o[i] = fp32_to_bf16(x_i[i]);
      bytes_o[i] = {int_to_8(x_i[i], zp_i, 1'b0), int_to_8(x_i[i], zp_i, 1'b1)};
      requantise_o[i] = requantise(64'($signed(x_i[i])) * 64'($signed(y_i[i])), shift_i);
      parts_o[i] = parts(loosen(x_i[i]), loosen(y_i[i]), 1'b1, 1'b1);
      loose_o[i] = settle(parts(loosen(x_i[i]), loosen(y_i[i]), 1'b1, 1'b0));
      parts_int_o[i] = 23'(parts(x_i[i], y_i[i], 1'b0, 1'b0));
      settled_int_o[i] = 23'(parts(x_i[i], y_i[i], 1'b0, 1'b1));
      pe_o[i] = settle(product(x_i[i][31:16], y_i[i][31:16], 1'b1));
      pe_int_o[i] = 23'(product(x_i[i][31:16], y_i[i][31:16], 1'b0));
    end
  end
endmodule
