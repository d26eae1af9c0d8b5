// The fp32 sum of ttpu_fp_pkg in four parts, and the product of a PE, for FPGAs (FpStages = 4).
//
// A register stands behind each part: x = add_larger, m = add_order | m = add_sum (x moves on) |
// m = add_normalise | the result = add_round, or add_settle. With fp = 0 the same hardware adds
// integers: the low 23 bits of the result are those of a + b, the others mean nothing.
// Operands and the result of add_round are "loose" fp32, which saves masks: with exponent 0 a zero
// whatever the fraction, with exponent 255 a NaN if bit 22 is set, else an infinity. That of
// add_settle is, bit for bit, fp32_add of ttpu_fp_pkg.
package ttpu_fp_pipe_pkg;
  // The operand of larger magnitude (a if fp = 0).
  function automatic logic [31:0] add_larger(input logic [31:0] a, input logic [31:0] b,
                                             input logic fp);
    add_larger = swaps(a[30:0], b[30:0], fp) ? b : a;
  endfunction

  // fp and a < b, on a carry chain.
  function automatic logic swaps(input logic [30:0] a, input logic [30:0] b, input logic fp);
    logic [31:0] unused;
    {swaps, unused} = {1'b0, ~fp, a} - {2'd0, b};
  endfunction

  // {NaN, both negative, subtract, low bits of the distance, "ones were lost", the other's
  // significand, shifted by the distance's upper bits}.
  function automatic logic [32:0] add_order(input logic [31:0] a, input logic [31:0] b,
                                            input logic fp);
    logic [22:0] y;
    logic [26:0] n;
    logic [7:0] ab, ba, d;
    logic [4:0] s;
    logic [5:0] q;
    logic less, am, bm, zero, none, sub, nan, lost;
    y = swaps(a[30:0], b[30:0], fp) ? a[22:0] : b[22:0];
    // equal exponents are 0 apart, whichever is the larger
    {less, ab} = {1'b0, a[30:23]} - {1'b0, b[30:23]};
    ba = b[30:23] - a[30:23];
    d = less ? ba : ab;
    zero = (a[30:23] == 8'd0) | (b[30:23] == 8'd0);
    none = fp & ((d[7:5] != 3'd0) | zero);  // of the other nothing stays
    s = d[4:0] & {5{fp}};
    n = {1'b1, y, 3'd0};
    // the ones shifted out, from the ones in each four bits: beside the shifts, not behind them
    q = {y[20:17] != 4'd0, y[16:13] != 4'd0, y[12:9] != 4'd0, y[8:5] != 4'd0, y[4:1] != 4'd0, y[0]};
    if (s[4]) lost = (q[3:0] != 4'd0) | (s[3] ? q[4] | q[5] | s[2] : s[2] & q[4]);
    else lost = s[3] ? q[0] | q[1] | (s[2] & q[2]) : s[2] & q[0];
    lost = lost | none;
    n = s[4] ? n >> 16 : n;
    n = s[3] ? n >> 8 : n;
    n = (s[2] ? n >> 4 : n) & {27{~none}};
    am = a[30:23] == 8'hff;
    bm = b[30:23] == 8'hff;
    sub = fp & (a[31] ^ b[31]);
    nan = (am & a[22]) | (bm & b[22]) | (am & bm & sub);
    add_order = {fp & nan, a[31] & b[31], sub, s[1:0], lost & ~zero, n};
  endfunction

  // {NaN, both negative, to shift by 16, by 8, the sum of 28 bits}.
  // The first operand is the fraction of x.
  function automatic logic [31:0] add_sum(input logic [22:0] x, input logic [32:0] m,
                                          input logic fp);
    logic [26:0] y;
    logic [27:0] n;
    logic lost, z2, z1, z0, unused;
    y = m[26:0];
    lost = m[27] | y[0] | (y[1] & (m[28] | m[29])) | (y[2] & m[29]) | (y[3] & m[28] & m[29]);
    y = m[29] ? y >> 2 : y;
    y = m[28] ? y >> 1 : y;
    y[0] = lost;
    // the bit below the sum carries the +1 of a subtraction
    {n, unused} = {2'b01, x, 3'd0, 1'b1} + ({1'b0, y, 1'b0} ^ {29{m[30]}});
    z2 = fp & (n[27:20] == 8'd0);
    z1 = n[19:12] == 8'd0;
    z0 = n[11:4] == 8'd0;
    add_sum = {m[32:31], z2 & z1, z2 & (~z1 | z0), n};
  endfunction

  // {NaN, both negative, the distance shifted, the sum with its leading one at the top}.
  function automatic logic [34:0] add_normalise(input logic [31:0] m, input logic fp);
    logic [27:0] n;
    logic [7:1] t;
    logic [4:0] s;
    s[4:3] = m[29:28];
    n = s[4] ? m[27:0] << 16 : m[27:0];
    n = s[3] ? n << 8 : n;
    // the leading one is in the first byte: all that is left to shift is known from there
    t = n[27:21];
    s[2] = fp & (t[7:4] == 4'd0);
    s[1] = fp & ~t[7] & ~t[6] & (t[5] | t[4] | (~t[3] & ~t[2]));
    // integers stand one bit higher than significands
    s[0] = ~(fp & (t[7] | (~t[6] & (t[5] | (~t[4] & (t[3] | (~t[2] & t[1])))))));
    n = s[2] ? n << 4 : n;
    n = s[1] ? n << 2 : n;
    n = s[0] ? n << 1 : n;
    add_normalise = {m[31:30], s, n};
  endfunction

  // The first operand is sign and exponent of x.
  function automatic logic [31:0] add_round(input logic [8:0] x, input logic [34:0] m,
                                            input logic fp);
    logic unused;
    {unused, add_round} = round(x, m, fp);
  endfunction

  // add_round as fp32 (fp = 0: as it is).
  function automatic logic [31:0] add_settle(input logic [8:0] x, input logic [34:0] m,
                                             input logic fp);
    logic special;
    {special, add_settle} = round(x, m, fp);
    special = special & fp;
    add_settle[21:0] = add_settle[21:0] & {22{~special}};
    add_settle[22] = add_settle[22] & (~special | m[34]);
  endfunction

  // {zero, infinity or NaN; the loose result}.
  function automatic logic [32:0] round(input logic [8:0] x, input logic [34:0] m, input logic fp);
    logic [27:0] n;
    logic [8:0] e;
    logic [31:0] r;
    logic up, none, inf;
    n = m[27:0];
    e = {1'b0, x[7:0]} - {4'd0, m[32:28]};
    up = fp & n[3] & (n[4] | (n[2:0] != 3'd0));
    // the leading one adds to the exponent, which is one too small; where the rounding makes it 255
    // the fraction becomes 0 by itself
    r = {1'b0, e[7:0], 23'd0} + {8'd0, n[27:4]} + {31'd0, up};
    none = ~n[27] | (x[7:0] == 8'd0);
    // 254 is left of 255, which is infinite, or of 254 not shifted
    inf = (x[7:0] == 8'hff) | (n[27] & (x[7:0] == 8'd254) & (m[32:28] == 5'd0));
    r[30:23] = (r[30:23] & {8{~(none | e[8])}}) | {8{inf}};
    r[22] = m[34] | (r[22] & ~(fp & inf));
    r[31] = ~m[34] & ((none & ~inf) ? m[33] : x[8]);
    round = {none | e[8] | inf, r};
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

  // NaN as fp32, not as a loose number.
  function automatic logic is_nan(input logic [30:0] a);
    is_nan = (a[30:23] == 8'hff) & (a[22:0] != 23'd0);
  endfunction
endpackage
