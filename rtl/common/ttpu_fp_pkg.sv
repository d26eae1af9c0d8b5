// Floating point of Torus TPU: combinational functions shared by the MXU and the VPU.
//
// Contract (docs/reference/interfaces.md, "Arithmetic"): an input whose exponent field is 0 counts
// as zero of its sign; a result whose exact magnitude is below 2^-126 is zero with the exact
// result's sign; else one rounding to nearest even, overflow to infinity; a NaN is canonical.
//
// Style: 32-bit intermediates and one `?:` a statement, no branches. Synthesis trims the unused
// bits; the C++ compiler turns a loop over lanes into vector code, which is worth a factor of ten.
package ttpu_fp_pkg;
  localparam logic [31:0] Fp32Nan = 32'h7fc0_0000;
  localparam logic [31:0] Fp32Inf = 32'h7f80_0000;
  localparam logic [15:0] Bf16Nan = 16'h7fc0;
  localparam logic [15:0] Bf16NegZero = 16'h8000;

  // a + b.
  function automatic logic [31:0] fp32_add(input logic [31:0] a, input logic [31:0] b);
    logic [31:0] x, y, ex, ey, mx, my, d, lost, sub, sum, n, e, r, sign, t;
    // x has the larger magnitude; a NaN is larger than an infinity.
    x = ((b & 32'h7fff_ffff) > (a & 32'h7fff_ffff)) ? b : a;
    y = x ^ a ^ b;
    ex = (x >> 23) & 32'hff;
    ey = (y >> 23) & 32'hff;
    sub = (x ^ y) >> 31;
    sign = x & 32'h8000_0000;
    // Significands with the leading one in bit 26 and three bits for guard, round and sticky.
    mx = (ex == 32'd0) ? 32'd0 : ((x & 32'h007f_ffff) | 32'h0080_0000) << 3;
    my = (ey == 32'd0) ? 32'd0 : ((y & 32'h007f_ffff) | 32'h0080_0000) << 3;
    d = ex - ey;
    d = (d > 32'd27) ? 32'd27 : d;
    n = my >> d[4:0];
    lost = (n << d[4:0]) ^ my;
    n = (lost != 32'd0) ? (n | 32'd1) : n;
    n = (n ^ (32'd0 - sub)) + sub;
    sum = mx + n;
    // Normalise to bit 27, where a carry would stand.
    n = sum;
    e = ex;
    e = (n < 32'h0000_1000) ? e - 32'd16 : e;
    n = (n < 32'h0000_1000) ? n << 16 : n;
    e = (n < 32'h0010_0000) ? e - 32'd8 : e;
    n = (n < 32'h0010_0000) ? n << 8 : n;
    e = (n < 32'h0100_0000) ? e - 32'd4 : e;
    n = (n < 32'h0100_0000) ? n << 4 : n;
    e = (n < 32'h0400_0000) ? e - 32'd2 : e;
    n = (n < 32'h0400_0000) ? n << 2 : n;
    e = (n < 32'h0800_0000) ? e - 32'd1 : e;
    n = (n < 32'h0800_0000) ? n << 1 : n;
    // e is now the biased exponent less one: the leading one of the significand adds it again,
    // and a carry out of the rounding one more.
    r = ((n & 32'h17) != 32'd0) ? (n >> 3) & 32'd1 : 32'd0;
    r = (e << 23) + (n >> 4) + r;
    r = (r > Fp32Inf) ? Fp32Inf : r;
    r = (e > 32'h7fff_ffff) ? 32'd0 : r;
    r = r | sign;
    r = (sum == 32'd0) ? (x & y & 32'h8000_0000) : r;
    r = (ex == 32'hff) ? (sign | Fp32Inf) : r;
    // NaN: x is one, or both are infinite with different signs.
    t = (ey == 32'hff) ? sub : 32'd0;
    t = (x & 32'h7fff_ffff) + t;
    fp32_add = (t > Fp32Inf) ? Fp32Nan : r;
  endfunction

  // a * b of two bfloat16: exact, but for overflow and underflow.
  function automatic logic [31:0] bf16_mul(input logic [15:0] a, input logic [15:0] b);
    logic [31:0] x, y, ex, ey, p, e, r, sign;
    logic az, bz, am, bm, nan;
    x = {16'd0, a};
    y = {16'd0, b};
    sign = ((x ^ y) & 32'h8000) << 16;
    ex = (x >> 7) & 32'hff;
    ey = (y >> 7) & 32'hff;
    az = (ex == 32'd0);
    bz = (ey == 32'd0);
    am = (ex == 32'hff);
    bm = (ey == 32'hff);
    p = ((x & 32'h7f) | 32'h80) * ((y & 32'h7f) | 32'h80);
    // p is in [2^14, 2^16): e is the biased exponent if the leading one is in bit 15.
    e = ex + ey - 32'd126;
    e = (p < 32'h8000) ? e - 32'd1 : e;
    p = (p < 32'h8000) ? p << 1 : p;
    // p << 8 has its leading one in bit 23 and so adds one to the exponent field.
    r = ((e - 32'd1) << 23) + (p << 8);
    r = ($signed(e) > $signed(32'd254)) ? Fp32Inf : r;
    r = ($signed(e) < $signed(32'd1)) ? 32'd0 : r;
    r = (az | bz) ? 32'd0 : r;
    r = (am | bm) ? Fp32Inf : r;
    r = r | sign;
    nan = (am & ((x & 32'h7f) != 32'd0)) | (bm & ((y & 32'h7f) != 32'd0)) | (am & bz) | (bm & az);
    bf16_mul = nan ? Fp32Nan : r;
  endfunction
endpackage
