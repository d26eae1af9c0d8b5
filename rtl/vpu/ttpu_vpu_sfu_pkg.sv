// Parts of the special function unit. docs/reference/sfu.md defines every bit; the names are those
// there.
package ttpu_vpu_sfu_pkg;
  import ttpu_isa_pkg::*;
  import ttpu_fp_pkg::*;
  import ttpu_sfu_table_pkg::*;

  localparam int unsigned TableBits = $clog2(SfuRows);

  // Y, y and its fraction; e' counts one more for TANH. {n, f}: n above bit 28.
  function automatic logic [59:0] split(input logic [63:0] p, input logic [31:0] x,
                                        input sfu_e func);
    logic [31:0] e, shift;
    logic [63:0] y;
    e = ((x >> 23) & 32'hff) + {31'd0, func == SfuTanh};
    shift = 32'd159 - e;
    y = (e >= 32'd134 || shift > 32'd63) ? 64'd0 : p >> shift[5:0];
    y = (func != SfuExp || x[31]) ? 64'd0 - y : y;
    split = 60'(y);
  endfunction

  function automatic logic huge(input logic [31:0] x, input sfu_e func);
    huge = ((x >> 23) & 32'hff) + {31'd0, func == SfuTanh} >= 32'd134;
  endfunction

  // t = c1 + ((c2 * d) >> 21)
  function automatic logic [27:0] first_step(input logic [26:0] c1, input logic [19:0] c2,
                                             input logic [20:0] d);
    first_step = 28'($signed(c1)) + 28'($signed({{29{c2[19]}}, c2} * {28'd0, d}) >>> 21);
  endfunction

  // poly = c0 + ((t * d) >> 21)
  function automatic logic [34:0] second_step(input logic [32:0] c0, input logic [27:0] t,
                                              input logic [20:0] d);
    second_step = {2'd0, c0} + 35'($signed({{28{t[27]}}, t} * {35'd0, d}) >>> 21);
  endfunction

  // sign, V * 2^q to fp32.
  function automatic logic [31:0] round(input logic sign, input logic [63:0] value,
                                        input logic [31:0] q);
    logic [63:0] v;
    logic [31:0] e, n, r;
    v = value;
    e = q + 32'd63 + 32'd126;  // biased exponent, less one, if the leading one is in bit 63
    e = (v[63:32] == 32'd0) ? e - 32'd32 : e;
    v = (v[63:32] == 32'd0) ? v << 32 : v;
    e = (v[63:48] == 16'd0) ? e - 32'd16 : e;
    v = (v[63:48] == 16'd0) ? v << 16 : v;
    e = (v[63:56] == 8'd0) ? e - 32'd8 : e;
    v = (v[63:56] == 8'd0) ? v << 8 : v;
    e = (v[63:60] == 4'd0) ? e - 32'd4 : e;
    v = (v[63:60] == 4'd0) ? v << 4 : v;
    e = (v[63:62] == 2'd0) ? e - 32'd2 : e;
    v = (v[63:62] == 2'd0) ? v << 2 : v;
    e = (v[63] == 1'b0) ? e - 32'd1 : e;
    v = (v[63] == 1'b0) ? v << 1 : v;
    n = v[63:32] | {31'd0, v[31:0] != 32'd0};
    r = {31'd0, ((n & 32'h80) != 32'd0) & ((n & 32'h17f) != 32'd0)};
    r = (e << 23) + (n >> 8) + r;
    r = (r > Fp32Inf) ? Fp32Inf : r;
    r = ($signed(e) > $signed(32'd253)) ? Fp32Inf : r;
    r = (e[31] || value == 64'd0) ? 32'd0 : r;
    round = r | {sign, 31'd0};
  endfunction

  // {the input has a value of its own, that value}.
  function automatic logic [32:0] own_value(input logic [31:0] x, input sfu_e func);
    logic [31:0] sign, r;
    logic zero, inf, nan, neg, big, far, own;
    sign = x & 32'h8000_0000;
    neg = x[31];
    zero = (x & 32'h7f80_0000) == 32'd0;
    inf = (x & 32'h7fff_ffff) == Fp32Inf;
    nan = (x & 32'h7fff_ffff) > Fp32Inf;
    big = huge(x, SfuExp);
    far = inf;
    r = 32'd0;
    case (func)
      SfuExp: begin
        far = big;
        r = neg ? 32'd0 : Fp32Inf;
        r = zero ? 32'h3f80_0000 : r;
      end
      SfuLog: begin
        far = inf || neg;
        r = neg ? Fp32Nan : Fp32Inf;
        r = zero ? 32'hff80_0000 : r;
      end
      SfuRecip: r = zero ? sign | Fp32Inf : sign;
      SfuRsqrt: begin
        far = inf || neg;
        r = neg ? Fp32Nan : 32'd0;
        r = zero ? sign | Fp32Inf : r;
      end
      SfuSigmoid: begin
        far = big;
        r = neg ? 32'd0 : 32'h3f80_0000;
        r = zero ? 32'h3f00_0000 : r;
      end
      default: begin  // TANH, ERF
        far = inf || (func == SfuErf && (x & 32'h7f80_0000) >= 32'h4080_0000);
        r = zero ? sign : sign | 32'h3f80_0000;
      end
    endcase
    own = nan || zero || far;
    own_value = {own, nan ? Fp32Nan : r};
  endfunction

  // The result y, but for the inputs that have a value of their own.
  function automatic logic [31:0] special(input logic [31:0] x, input logic [31:0] y,
                                          input sfu_e func);
    logic [31:0] r;
    logic own;
    {own, r} = own_value(x, func);
    special = own ? r : y;
  endfunction

  // What of the place hangs on x alone: where its bits come from, the function's first row.
  typedef struct packed {
    logic                 of_abs;  // from |x| < 1 with 28 fraction bits
    logic                 of_y;    // else from y, else from x
    logic                 none;    // that |x| is 0
    logic [4:0]           shift;
    logic [TableBits-1:0] base;
  } place_t;

  function automatic place_t place_ahead(input logic [31:0] x, input sfu_e func);
    logic [31:0] e, shift;
    logic [TableBits-1:0] base;
    e = (x >> 23) & 32'hff;
    shift = 32'd126 - e;
    base = TableBits'(SfuBaseExp);
    case (func)
      SfuLog: base = TableBits'(SfuBaseLog);
      SfuRecip: base = TableBits'(SfuBaseRecip);
      // E = e - 127
      SfuRsqrt: base = e[0] ? TableBits'(SfuBaseRsqrtEven) : TableBits'(SfuBaseRsqrtOdd);
      SfuErf: begin
        base = TableBits'(SfuBaseErf2);
        if (e == 32'd127) base = TableBits'(SfuBaseErf1);
        if (e < 32'd127) base = TableBits'(SfuBaseErf0);
      end
      SfuTanh: base = (e < 32'd127) ? TableBits'(SfuBaseTanh) : TableBits'(SfuBaseExp);
      default: ;
    endcase
    place_ahead.of_abs = e < 32'd127 && (func == SfuErf || func == SfuTanh);
    place_ahead.of_y = func == SfuExp || func == SfuSigmoid || func == SfuTanh;
    place_ahead.none = shift > 32'd27;
    place_ahead.shift = shift[4:0];
    place_ahead.base = base;
  endfunction

  // Table row and place in the interval, {row, d}.
  function automatic logic [31:0] place(input place_t ahead, input logic [22:0] fraction,
                                        input logic [27:0] y);
    logic [27:0] near0, bits;
    logic [TableBits-1:0] row;
    near0 = ahead.none ? 28'd0 : {1'b1, fraction, 4'd0} >> ahead.shift;
    bits = ahead.of_abs ? near0 : ahead.of_y ? y : {fraction, 5'd0};
    row = ahead.base + TableBits'(bits[27:21]);
    place = {row, bits[20:0]};
  endfunction

  // T of SIGMOID and TANH: {it is 0, else how far the number shifts}.
  function automatic logic [6:0] power_ahead(input logic [31:0] n, input logic [31:0] x,
                                             input sfu_e func);
    logic [31:0] k;
    k = 32'd0 - n;
    power_ahead = {k >= 32'd34 || huge(x, func), k[5:0]};
  endfunction

  function automatic logic [31:0] power(input logic [34:0] p, input logic [6:0] ahead);
    logic [34:0] t;
    t = ahead[6] ? 35'd0 : p >> ahead[5:0];
    power = (t[34:32] != 3'd0) ? 32'hffff_ffff : t[31:0];
  endfunction
endpackage
