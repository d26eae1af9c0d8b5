// One lane's arithmetic in five cycles, for FPGAs: every operation of `vop`, as ttpu_vpu_stage has
// them, from one multiplier, one shifter, one adder, one normaliser.
//
// A new operation each cycle; x_o and pred_o come five cycles (AluLatency) after valid_i. Steps: 1
// product, order of the operands | 2 shift to the right | 3 sum | 4 first part of the normaliser |
// 5 second part, rounding. shift_i (IQMUL) is constant while something is on its way. Operations
// of a group that is left out (HasFp: floats; HasMul: products; HasShift: shifts and logic;
// HasConvert: I2F, F2I) act as PASS, in as many cycles.
module ttpu_vpu_alu
  import ttpu_isa_pkg::*;
#(
    parameter int unsigned HasFp = 1,
    parameter int unsigned HasMul = 1,
    parameter int unsigned HasShift = 1,
    parameter int unsigned HasConvert = 1
) (
    input  logic        clk_i,
    input  logic        valid_i,
    input  vop_e        op_i,
    input  logic [4:0]  shift_i,
    input  logic [31:0] x_i,
    input  logic [31:0] y_i,
    input  logic        pred_i,
    output logic [31:0] x_o,
    output logic        pred_o
);
  // What the operation is, decoded once.
  typedef struct packed {
    logic fadd, fmul, imul, iqmul, i2f, f2i, shl, sra, srl, logic_and, logic_or, logic_xor, iadd,
          isub, minmax;
  } kind_t;

  localparam logic Fp = HasFp != 0;

  function automatic logic [31:0] reversed(input logic [31:0] a);
    for (int unsigned i = 0; i < 32; i++) reversed[i] = a[31-i];
  endfunction

  // ---- 1: product, order of the operands --------------------------------------------------------
  kind_t k1;
  logic [31:0] y, u1, w1, ma, mb;
  logic [9:0] e1;
  logic gt, eq, xz, yz, xm, ym, xnan, ynan, sub1, nan1, key_lt, ilt, ieq, feq, flt, pick, pred1;
  always_comb begin
    y = y_i;
    y[31] = y_i[31] ^ (Fp && op_i == VopFsub);
    gt = y[30:0] > x_i[30:0];
    eq = y[30:0] == x_i[30:0];
    xz = x_i[30:23] == 8'd0;
    yz = y[30:23] == 8'd0;
    xm = x_i[30:23] == 8'hff;
    ym = y[30:23] == 8'hff;
    xnan = xm & (x_i[22:0] != 23'd0);
    ynan = ym & (y[22:0] != 23'd0);
    sub1 = x_i[31] ^ y[31];
    ilt = sub1 ? x_i[31] : gt;
    ieq = eq & ~sub1;
    // order of floats with -0 below +0; subnormals are zeros
    key_lt = sub1 ? x_i[31] : ~(xz & yz) & (x_i[31] ? ~(gt | eq) : gt);
    feq = (ieq | (xz & yz)) & ~xnan & ~ynan;
    flt = key_lt & ~(xz & yz) & ~xnan & ~ynan;
    k1 = '0;
    k1.fadd = Fp && (op_i == VopFadd || op_i == VopFsub);
    k1.fmul = Fp && HasMul != 0 && op_i == VopFmul;
    k1.imul = HasMul != 0 && op_i == VopImul;
    k1.iqmul = HasMul != 0 && op_i == VopIqmul;
    k1.i2f = Fp && HasConvert != 0 && op_i == VopI2f;
    k1.f2i = Fp && HasConvert != 0 && op_i == VopF2i;
    k1.shl = HasShift != 0 && op_i == VopIshl;
    k1.sra = HasShift != 0 && op_i == VopIsra;
    k1.srl = HasShift != 0 && op_i == VopIsrl;
    k1.logic_and = HasShift != 0 && op_i == VopAnd;
    k1.logic_or = HasShift != 0 && op_i == VopOr;
    k1.logic_xor = HasShift != 0 && op_i == VopXor;
    k1.iadd = op_i == VopIadd;
    k1.isub = op_i == VopIsub;
    k1.minmax = Fp && (op_i == VopFmin || op_i == VopFmax);
    case (op_i)
      VopImin: pick = ~ilt & ~ieq;
      VopImax: pick = ilt;
      VopFmin: pick = Fp & ~key_lt;
      VopFmax: pick = Fp & key_lt;
      VopFadd, VopFsub: pick = Fp & gt;
      VopSel: pick = ~pred_i;
      default: pick = 1'b0;
    endcase
    u1 = pick ? y : x_i;
    w1 = pick ? x_i : y;
    case (op_i)
      VopIceq: pred1 = ieq;
      VopIclt: pred1 = ilt;
      VopIcle: pred1 = ilt | ieq;
      VopFceq: pred1 = Fp ? feq : pred_i;
      VopFclt: pred1 = Fp ? flt : pred_i;
      VopFcle: pred1 = Fp ? flt | feq : pred_i;
      default: pred1 = pred_i;
    endcase
    nan1 = xnan | (ynan & ~k1.f2i);
    if (k1.fadd) nan1 = nan1 | (xm & ym & sub1);
    if (k1.fmul) nan1 = nan1 | (xm & yz) | (ym & xz);
    nan1 = nan1 & (k1.fadd | k1.fmul | k1.minmax | k1.f2i);
    ma = k1.fmul ? {8'd0, 1'b1, x_i[22:0]} : x_i;
    mb = k1.fmul ? {8'd0, 1'b1, y[22:0]} : y;
    e1 = {2'd0, x_i[30:23]} + {2'd0, y[30:23]} - 10'd127;
  end

  kind_t k1_q;
  logic [31:0] u1_q, w1_q;
  logic [63:0] p1_q;
  logic [9:0] e1_q;
  logic v1_q, sub1_q, both1_q, nan1_q, inf1_q, zero1_q, pred1_q;
  always_ff @(posedge clk_i) begin
    v1_q <= valid_i;
    if (valid_i) begin
      k1_q <= k1;
      u1_q <= u1;
      w1_q <= w1;
      if (HasMul != 0) p1_q <= 64'($signed(ma)) * 64'($signed(mb));
      e1_q <= e1;
      sub1_q <= sub1;
      both1_q <= x_i[31] & y[31];
      nan1_q <= nan1;
      inf1_q <= xm | ym;
      zero1_q <= xz | yz;
      pred1_q <= pred1;
    end
  end

  // ---- 2: shift to the right --------------------------------------------------------------------
  logic [33:0] n2;
  logic [31:0] plain;
  logic [7:0] d;
  logic [4:0] amount;
  logic fill, lost, uz, wz;
  always_comb begin
    uz = u1_q[30:23] == 8'd0;
    wz = w1_q[30:23] == 8'd0;
    d = u1_q[30:23] - w1_q[30:23];
    plain = u1_q;
    if (k1_q.logic_and) plain = u1_q & w1_q;
    if (k1_q.logic_or) plain = u1_q | w1_q;
    if (k1_q.logic_xor) plain = u1_q ^ w1_q;
    if (k1_q.minmax && uz) plain[22:0] = 23'd0;
    if (k1_q.shl) plain = reversed(u1_q);
    if (k1_q.imul) plain = p1_q[31:0];
    if (k1_q.fmul) plain = p1_q[47:16];
    if (k1_q.fadd) plain = {2'b01, w1_q[22:0], 7'd0};
    fill = (k1_q.sra & u1_q[31]) | (k1_q.iqmul & p1_q[63]);
    n2 = {{2{fill}}, plain};
    if (k1_q.iqmul) n2 = p1_q[63:30];
    if (k1_q.f2i) n2 = {1'b1, u1_q[22:0], 10'd0};
    amount = 5'd0;
    if (k1_q.fadd) amount = d[4:0] | {5{(d[7:5] != 3'd0) | wz}};
    if (k1_q.f2i) amount = 5'd29 - u1_q[27:23];  // 157 - exponent, where that is 0 to 31
    if (k1_q.iqmul) amount = shift_i;
    if (k1_q.shl || k1_q.sra || k1_q.srl) amount = w1_q[4:0];
    lost = (k1_q.fmul & (p1_q[15:0] != 16'd0)) | (k1_q.iqmul & (p1_q[29:0] != 30'd0));
    lost = lost | (amount[4] & (n2[15:0] != 16'd0));
    n2 = amount[4] ? {{16{fill}}, n2[33:16]} : n2;
    lost = lost | (amount[3] & (n2[7:0] != 8'd0));
    n2 = amount[3] ? {{8{fill}}, n2[33:8]} : n2;
    lost = lost | (amount[2] & (n2[3:0] != 4'd0));
    n2 = amount[2] ? {{4{fill}}, n2[33:4]} : n2;
    lost = lost | (amount[1] & (n2[1:0] != 2'd0));
    n2 = amount[1] ? {{2{fill}}, n2[33:2]} : n2;
    lost = lost | (amount[0] & n2[0]);
    n2 = amount[0] ? {fill, n2[33:1]} : n2;
    lost = lost & ~(k1_q.fadd & wz);
  end

  kind_t k2_q;
  logic [33:0] n2_q;
  logic [31:0] u2_q, w2_q;
  logic [9:0] e2_q;
  logic v2_q, lost2_q, sub2_q, sign2_q, zsign2_q, nan2_q, inf2_q, zero2_q, over2_q, pred2_q;
  always_ff @(posedge clk_i) begin
    v2_q <= v1_q;
    if (v1_q) begin
      k2_q <= k1_q;
      n2_q <= n2;
      lost2_q <= lost;
      u2_q <= u1_q;
      w2_q <= w1_q;
      sub2_q <= k1_q.isub | (k1_q.fadd & sub1_q) | ((k1_q.f2i | k1_q.i2f) & u1_q[31]);
      e2_q <= k1_q.i2f ? 10'd157 : k1_q.fmul ? e1_q : {2'd0, u1_q[30:23]};
      sign2_q <= k1_q.fmul ? sub1_q : u1_q[31];
      zsign2_q <= k1_q.fmul ? sub1_q : k1_q.fadd & both1_q;
      nan2_q <= nan1_q & ~k1_q.f2i;
      inf2_q <= (k1_q.fadd | k1_q.fmul) & inf1_q;
      zero2_q <= (k1_q.fadd & uz) | (k1_q.fmul & zero1_q) |
                 (k1_q.f2i & (nan1_q | u1_q[30:23] < 8'd126));
      over2_q <= k1_q.f2i & ~nan1_q & (u1_q[30:23] > 8'd157);
      pred2_q <= pred1_q;
    end
  end

  // ---- 3: sum -----------------------------------------------------------------------------------
  logic [32:0] a3, b3, sum;
  logic carry, up, unused_low;
  always_comb begin
    a3 = 33'd0;
    if (k2_q.fadd) a3 = {3'b001, u2_q[22:0], 7'd0};
    if (k2_q.iadd || k2_q.isub) a3 = {1'b0, u2_q};
    b3 = {1'b0, n2_q[31:1], n2_q[0] | (lost2_q & (k2_q.fadd | k2_q.fmul))};
    up = 1'b0;
    if (k2_q.iadd || k2_q.isub) b3 = {1'b0, w2_q};
    if (k2_q.shl) b3 = {1'b0, reversed(n2_q[31:0])};
    if (k2_q.iqmul) begin
      b3 = n2_q[33:1];
      up = n2_q[0] & (n2_q[1] | lost2_q);
    end
    if (k2_q.f2i) begin
      b3 = {2'd0, n2_q[33:3]};
      up = n2_q[2] & (n2_q[3] | n2_q[1] | n2_q[0] | lost2_q);
    end
    carry = up ^ sub2_q;  // -(b + up) = ~b + (1 - up)
    {sum, unused_low} = {a3, 1'b1} + {b3 ^ {33{sub2_q}}, carry};
  end

  logic [32:0] n3_q;
  logic [9:0] e3_q;
  logic v3_q, iqmul3_q, float3_q, sign3_q, zsign3_q, nan3_q, inf3_q, zero3_q, over3_q, pred3_q;
  always_ff @(posedge clk_i) begin
    v3_q <= v2_q;
    if (v2_q) begin
      n3_q <= sum;
      e3_q <= e2_q;
      float3_q <= k2_q.fadd | k2_q.fmul | k2_q.i2f;
      iqmul3_q <= k2_q.iqmul;
      sign3_q <= sign2_q;
      zsign3_q <= zsign2_q;
      nan3_q <= nan2_q;
      inf3_q <= inf2_q;
      zero3_q <= zero2_q;
      over3_q <= over2_q;
      pred3_q <= pred2_q;
    end
  end

  // ---- 4: first part of the normaliser ----------------------------------------------------------
  logic [31:0] n4;
  logic s4, s3, s2;
  always_comb begin
    n4 = n3_q[31:0];
    s4 = float3_q & (n4[31:16] == 16'd0);
    n4 = s4 ? n4 << 16 : n4;
    s3 = float3_q & (n4[31:24] == 8'd0);
    n4 = s3 ? n4 << 8 : n4;
    s2 = float3_q & (n4[31:28] == 4'd0);
    n4 = s2 ? n4 << 4 : n4;
  end

  logic [31:0] n4_q;
  logic [9:0] e4_q;
  logic v4_q, float4_q, sign4_q, zsign4_q, nan4_q, inf4_q, zero4_q, over4_q, pred4_q;
  always_ff @(posedge clk_i) begin
    v4_q <= v3_q;
    if (v3_q) begin
      n4_q <= n4;
      e4_q <= e3_q - {5'd0, s4, s3, s2, 2'd0};
      float4_q <= float3_q;
      sign4_q <= iqmul3_q ? n3_q[32] : sign3_q;
      zsign4_q <= zsign3_q;
      nan4_q <= nan3_q;
      inf4_q <= inf3_q;
      zero4_q <= zero3_q;
      over4_q <= over3_q | (iqmul3_q & (n3_q[32] != n3_q[31]));
      pred4_q <= pred3_q;
    end
  end

  // ---- 5: second part, rounding -----------------------------------------------------------------
  logic [31:0] n5, r;
  logic [9:0] e5;
  logic s1, s0, none, inf5;
  always_comb begin
    n5 = n4_q;
    s1 = n5[31:30] == 2'd0;
    n5 = s1 ? n5 << 2 : n5;
    s0 = ~n5[31];
    n5 = s0 ? n5 << 1 : n5;
    none = ~n5[31] | zero4_q;
    e5 = e4_q - {8'd0, s1, s0};
    // the leading one adds to the exponent, which is one too small
    r = {1'b0, e5[7:0], 23'd0} + {8'd0, n5[31:8]} +
        {31'd0, n5[7] & (n5[8] | (n5[6:0] != 7'd0))};
    inf5 = inf4_q | (~none & ~e5[9] & (e5[8] | (e5[7:0] == 8'hff) | (r[30:23] == 8'hff)));
    if (none || e5[9] || inf5) r[30:0] = {{8{inf5}}, 23'd0};
    r[31] = (none & ~inf5) ? zsign4_q : sign4_q;
    if (!float4_q) begin
      r = zero4_q ? 32'd0 : n4_q;
      if (over4_q) r = {sign4_q, {31{~sign4_q}}};
    end
    if (nan4_q) r = 32'h7fc0_0000;
  end
  always_ff @(posedge clk_i) begin
    if (v4_q) begin
      x_o <= r;
      pred_o <= pred4_q;
    end
  end

  logic unused;
  assign unused = ^{k2_q, n5};
endmodule
