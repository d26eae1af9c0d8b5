// Floating point of Torus TPU, second part: fp32 product, order, and conversions, for the VPU.
//
// Contract and style as in ttpu_fp_pkg: subnormal inputs count as zero of their sign, results whose
// exact magnitude is below 2^-126 are zero of their sign, one rounding to nearest even, canonical
// NaN.
package ttpu_fp_conv_pkg;
  import ttpu_fp_pkg::*;

  // a * b.
  function automatic logic [31:0] fp32_mul(input logic [31:0] a, input logic [31:0] b);
    logic [31:0] ex, ey, fx, fy, e, n, r, sign;
    logic [63:0] p;
    logic az, bz, am, bm, nan;
    sign = (a ^ b) & 32'h8000_0000;
    ex = (a >> 23) & 32'hff;
    ey = (b >> 23) & 32'hff;
    fx = a & 32'h007f_ffff;
    fy = b & 32'h007f_ffff;
    az = (ex == 32'd0);
    bz = (ey == 32'd0);
    am = (ex == 32'hff);
    bm = (ey == 32'hff);
    p = {32'd0, fx | 32'h0080_0000} * {32'd0, fy | 32'h0080_0000};
    // p is in [2^46, 2^48): n keeps it with the leading one in bit 30 or 31, the rest sticky.
    n = 32'(p >> 16) | {31'd0, p[15:0] != 16'd0};
    e = ex + ey - 32'd126;
    e = (n < 32'h8000_0000) ? e - 32'd1 : e;
    n = (n < 32'h8000_0000) ? n << 1 : n;
    r = {31'd0, ((n & 32'h80) != 32'd0) & ((n & 32'h17f) != 32'd0)};
    r = ((e - 32'd1) << 23) + (n >> 8) + r;
    r = (r > Fp32Inf) ? Fp32Inf : r;
    r = ($signed(e) > $signed(32'd254)) ? Fp32Inf : r;
    r = ($signed(e) < $signed(32'd1)) ? 32'd0 : r;
    r = (az | bz) ? 32'd0 : r;
    r = (am | bm) ? Fp32Inf : r;
    r = r | sign;
    nan = (am & (fx != 32'd0)) | (bm & (fy != 32'd0)) | (am & bz) | (bm & az);
    fp32_mul = nan ? Fp32Nan : r;
  endfunction

  // A NaN?
  function automatic logic fp32_is_nan(input logic [31:0] a);
    fp32_is_nan = (a & 32'h7fff_ffff) > Fp32Inf;
  endfunction

  // a, or zero of its sign if a is subnormal.
  function automatic logic [31:0] fp32_flush(input logic [31:0] a);
    fp32_flush = ((a & 32'h7f80_0000) == 32'd0) ? (a & 32'h8000_0000) : a;
  endfunction

  // a == b, false with NaN.
  function automatic logic fp32_eq(input logic [31:0] a, input logic [31:0] b);
    logic [31:0] x, y;
    x = fp32_flush(a);
    y = fp32_flush(b);
    fp32_eq = ((x == y) | (((x | y) & 32'h7fff_ffff) == 32'd0)) & ~fp32_is_nan(a) & ~fp32_is_nan(b);
  endfunction

  // Integers in the order of the numbers, -0 before +0.
  function automatic logic [31:0] fp32_key(input logic [31:0] a);
    logic [31:0] x;
    x = fp32_flush(a);
    fp32_key = ((x & 32'h8000_0000) != 32'd0) ? ~(x & 32'h7fff_ffff) : x;
  endfunction

  // a < b, false with NaN.
  function automatic logic fp32_lt(input logic [31:0] a, input logic [31:0] b);
    logic zeros, below;
    zeros = ((fp32_flush(a) | fp32_flush(b)) & 32'h7fff_ffff) == 32'd0;
    below = $signed(fp32_key(a)) < $signed(fp32_key(b));
    fp32_lt = below & ~zeros & ~fp32_is_nan(a) & ~fp32_is_nan(b);
  endfunction

  // Minimum, or maximum with max = 1: NaN if either is NaN, -0 < +0.
  function automatic logic [31:0] fp32_minmax(input logic [31:0] a, input logic [31:0] b,
                                              input logic max);
    logic [31:0] r;
    logic below;
    below = $signed(fp32_key(a)) < $signed(fp32_key(b));
    r = (below ^ max) ? fp32_flush(a) : fp32_flush(b);
    fp32_minmax = (fp32_is_nan(a) | fp32_is_nan(b)) ? Fp32Nan : r;
  endfunction

  // int32 to fp32, nearest even.
  function automatic logic [31:0] int_to_fp32(input logic [31:0] a);
    logic [31:0] n, e, r, sign;
    sign = a & 32'h8000_0000;
    n = (sign != 32'd0) ? 32'd0 - a : a;
    e = 32'd157;  // biased exponent of bit 31, less one
    e = (n < 32'h0001_0000) ? e - 32'd16 : e;
    n = (n < 32'h0001_0000) ? n << 16 : n;
    e = (n < 32'h0100_0000) ? e - 32'd8 : e;
    n = (n < 32'h0100_0000) ? n << 8 : n;
    e = (n < 32'h1000_0000) ? e - 32'd4 : e;
    n = (n < 32'h1000_0000) ? n << 4 : n;
    e = (n < 32'h4000_0000) ? e - 32'd2 : e;
    n = (n < 32'h4000_0000) ? n << 2 : n;
    e = (n < 32'h8000_0000) ? e - 32'd1 : e;
    n = (n < 32'h8000_0000) ? n << 1 : n;
    r = {31'd0, ((n & 32'h80) != 32'd0) & ((n & 32'h17f) != 32'd0)};
    r = ((e << 23) + (n >> 8) + r) | sign;
    int_to_fp32 = (a == 32'd0) ? 32'd0 : r;
  endfunction

  // fp32 to int32, nearest even, saturated; NaN gives 0.
  function automatic logic [31:0] fp32_to_int(input logic [31:0] a);
    logic [31:0] ex, m, left, right, q, lost, half, r;
    logic up, neg;
    ex = (a >> 23) & 32'hff;
    m = (a & 32'h007f_ffff) | 32'h0080_0000;
    neg = a[31];
    left = (ex > 32'd150) ? ex - 32'd150 : 32'd0;
    left = (left > 32'd7) ? 32'd7 : left;
    right = (ex < 32'd150) ? 32'd150 - ex : 32'd0;
    right = (right > 32'd25) ? 32'd25 : right;
    q = m >> right[4:0];
    lost = m ^ (q << right[4:0]);
    half = (32'd1 << right[4:0]) >> 1;
    up = (lost > half) | ((lost == half) & q[0] & (half != 32'd0));
    r = (q << left[2:0]) + {31'd0, up};
    r = neg ? 32'd0 - r : r;
    r = (ex > 32'd157) ? {neg, {31{~neg}}} : r;
    fp32_to_int = fp32_is_nan(a) ? 32'd0 : r;
  endfunction

  // fp32 to bfloat16, nearest even.
  function automatic logic [15:0] fp32_to_bf16(input logic [31:0] a);
    logic [31:0] x, r;
    x = fp32_flush(a);
    r = x + 32'h7fff + {31'd0, x[16]};
    r = fp32_is_nan(a) ? Fp32Nan : r;
    fp32_to_bf16 = r[31:16];
  endfunction

  // Integer x + zp saturated to 8 bits, signed or not.
  function automatic logic [7:0] int_to_8(input logic [31:0] x, input logic [8:0] zp,
                                          input logic is_signed);
    logic [33:0] s;
    logic fits;
    s = {{2{x[31]}}, x} + {{25{zp[8]}}, zp};
    fits = (s[32:8] == {25{s[33]}}) & (is_signed ? s[7] == s[33] : ~s[33]);
    int_to_8 = fits ? s[7:0] : {s[33] ~^ is_signed, {7{~s[33]}}};
  endfunction

  // The exact product p divided by 2^(31 + shift), nearest even, saturated to int32.
  function automatic logic [31:0] requantise(input logic [63:0] p, input logic [4:0] shift);
    logic [63:0] q, lost, half;
    logic [5:0] n;
    logic up;
    n = 6'd31 + {1'b0, shift};
    q = $signed(p) >>> n;
    lost = p ^ (q << n);
    half = 64'd1 << (n - 6'd1);
    up = (lost > half) | ((lost == half) & q[0]);
    q = q + {63'd0, up};
    q = ($signed(q) > $signed(64'h7fff_ffff)) ? 64'h7fff_ffff : q;
    q = ($signed(q) < $signed(64'hffff_ffff_8000_0000)) ? 64'hffff_ffff_8000_0000 : q;
    requantise = q[31:0];
  endfunction
endpackage
