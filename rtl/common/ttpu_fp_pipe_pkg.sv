// The fp32 sum of ttpu_fp_pkg in three parts, and the product of a PE, for FPGAs (FpStages = 3).
//
// A register stands behind each part: x = add_larger, m = add_align | m = add_sum (x moves on) |
// the result = add_round. With fp = 0 the same hardware adds integers: the low 23 bits of the
// result are those of a + b, the others mean nothing.
// Operands and results are "loose" fp32, which saves masks: with exponent 0 a zero whatever the
// fraction, with exponent 255 a NaN if bit 22 is set, else an infinity. `settle` of a result is, bit
// for bit, fp32_add or bf16_mul of ttpu_fp_pkg.
package ttpu_fp_pipe_pkg;
  // The operand of larger magnitude (a if fp = 0).
  function automatic logic [31:0] add_larger(input logic [31:0] a, input logic [31:0] b,
                                             input logic fp);
    add_larger = (fp & (b[30:0] > a[30:0])) ? b : a;
  endfunction

  // {NaN, both negative, subtract, the other's significand where it is to be added}.
  function automatic logic [29:0] add_align(input logic [31:0] a, input logic [31:0] b,
                                            input logic fp);
    logic [30:0] y;
    logic [26:0] n;
    logic [7:0] ab, ba, d;
    logic [4:0] s;
    logic swap, zero, sub, nan, lost;
    swap = fp & (b[30:0] > a[30:0]);
    y = swap ? a[30:0] : b[30:0];
    ab = a[30:23] - b[30:23];
    ba = b[30:23] - a[30:23];
    d = swap ? ba : ab;
    zero = (y[30:23] == 8'd0);
    s = d[4:0] | {5{(d[7:5] != 3'd0) | zero}};
    s = s & {5{fp}};
    n = {1'b1, y[22:0], 3'd0};
    lost = s[4] & (n[15:0] != 16'd0);
    n = s[4] ? n >> 16 : n;
    lost = lost | (s[3] & (n[7:0] != 8'd0));
    n = s[3] ? n >> 8 : n;
    lost = lost | (s[2] & (n[3:0] != 4'd0));
    n = s[2] ? n >> 4 : n;
    lost = lost | (s[1] & (n[1:0] != 2'd0));
    n = s[1] ? n >> 2 : n;
    lost = lost | (s[0] & n[0]);
    n = s[0] ? n >> 1 : n;
    n[0] = n[0] | (lost & ~zero);
    sub = fp & (a[31] ^ b[31]);
    nan = ((a[30:23] == 8'hff) & a[22]) | ((b[30:23] == 8'hff) & b[22]) |
          ((y[30:23] == 8'hff) & sub);
    add_align = {fp & nan, a[31] & b[31], sub, n};
  endfunction

  // {NaN, both negative, shifted by 16, by 8, the sum of 28 bits so shifted}.
  // The first operand is the fraction of x.
  function automatic logic [31:0] add_sum(input logic [22:0] x, input logic [29:0] m,
                                          input logic fp);
    logic [27:0] n;
    logic s4, s3, unused;
    // the bit below the sum carries the +1 of a subtraction
    {n, unused} = {2'b01, x, 3'd0, 1'b1} + ({1'b0, m[26:0], 1'b0} ^ {29{m[27]}});
    s4 = fp & (n[27:12] == 16'd0);
    n = s4 ? n << 16 : n;
    s3 = fp & (n[27:20] == 8'd0);
    n = s3 ? n << 8 : n;
    add_sum = {m[29:28], s4, s3, n};
  endfunction

  // The first operand is sign and exponent of x.
  function automatic logic [31:0] add_round(input logic [8:0] x, input logic [31:0] m,
                                            input logic fp);
    logic [27:0] n;
    logic [4:0] s;
    logic [8:0] e;
    logic [31:0] r;
    logic up, none, inf;
    n = m[27:0];
    s[4:3] = m[29:28];
    s[2] = fp & (n[27:24] == 4'd0);
    n = s[2] ? n << 4 : n;
    s[1] = fp & (n[27:26] == 2'd0);
    n = s[1] ? n << 2 : n;
    s[0] = ~(fp & n[27]);  // integers stand one bit higher than significands
    n = s[0] ? n << 1 : n;
    none = ~n[27] | (x[7:0] == 8'd0);
    e = {1'b0, x[7:0]} - {4'd0, s};
    up = fp & n[3] & (n[4] | (n[2:0] != 3'd0));
    // the leading one adds to the exponent, which is one too small
    r = {1'b0, e[7:0], 23'd0} + {8'd0, n[27:4]} + {31'd0, up};
    inf = (x[7:0] == 8'hff) | ((r[30:23] == 8'hff) & ~e[8]);
    r[30:23] = (r[30:23] & {8{~(none | e[8])}}) | {8{inf}};
    r[22] = m[31] | (r[22] & ~(fp & inf));
    r[31] = ~m[31] & ((none & (x[7:0] != 8'hff)) ? m[30] : x[8]);
    add_round = r;
  endfunction

  // Product of a PE with one multiplier, in two parts: pe_multiply and pe_exponent | pe_product. Of
  // two bfloat16, exact but for overflow and underflow, or (fp = 0) the low 23 bits of a product of
  // integers of 9 bits. The product of fractions stands where that of integers does.
  function automatic logic [23:0] pe_multiply(input logic [8:0] a, input logic [8:0] b,
                                              input logic fp);
    logic [17:0] x;
    logic [8:0] y;
    x = fp ? {3'b001, a[6:0], 8'd0} : {{9{a[8]}}, a};
    y = fp ? {2'b01, b[6:0]} : b;
    pe_multiply = 24'($signed(x)) * 24'($signed(y));
  endfunction

  // {sign, NaN, infinity, zero, sum of the exponents}.
  function automatic logic [12:0] pe_exponent(input logic [15:0] a, input logic [15:0] b);
    logic az, bz, am, bm, nan;
    az = (a[14:7] == 8'd0);
    bz = (b[14:7] == 8'd0);
    am = (a[14:7] == 8'hff);
    bm = (b[14:7] == 8'hff);
    nan = (am & (a[6:0] != 7'd0)) | (bm & (b[6:0] != 7'd0)) | (am & bz) | (bm & az);
    pe_exponent = {a[15] ^ b[15], nan, am | bm, az | bz, {1'b0, a[14:7]} + {1'b0, b[14:7]}};
  endfunction

  function automatic logic [31:0] pe_product(input logic [23:0] p, input logic [12:0] x,
                                             input logic fp);
    logic [22:0] f;
    logic [8:0] e;
    logic inf, zero, unused;
    f = (fp & ~p[23]) ? p[22:0] << 1 : p[22:0];
    e = x[8:0] + {8'd0, p[23]};  // too large by 127
    inf = x[10] | (e >= 9'd382);
    zero = (e < 9'd128) | x[9];
    f[22] = (x[11] & fp) | (f[22] & ~(inf & fp));
    {unused, pe_product[30:23]} = e - 9'd127;
    pe_product[30:23] = (pe_product[30:23] & {8{~zero}}) | {8{inf}};
    pe_product[31] = x[12] & ~x[11];
    pe_product[22:0] = f;
  endfunction

  // A loose number of fp32 (fp = 0: as it is).
  function automatic logic [31:0] loosen(input logic [31:0] a, input logic fp);
    loosen = a;
    loosen[22] = a[22] | (fp & (a[30:23] == 8'hff) & (a[21:0] != 22'd0));
  endfunction

  // fp32 of a loose number.
  function automatic logic [31:0] settle(input logic [31:0] a);
    settle = a;
    settle[21:0] = ((a[30:23] == 8'd0) | (a[30:23] == 8'hff)) ? 22'd0 : a[21:0];
    settle[22] = a[22] & (a[30:23] != 8'd0);
  endfunction
endpackage
