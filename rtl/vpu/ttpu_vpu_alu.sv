// One lane's arithmetic in five cycles, for FPGAs: every operation of `vop`, as ttpu_vpu_stage has
// them, from one multiplier, one shifter, one adder, one normaliser.
//
// New operands each cycle; x_o and pred_o come five cycles (AluLatency) after valid_i. Steps: 1
// product, order of the operands, distance | 2 shift to the right | 3 sum | 4 normaliser | 5
// rounding. op_i and shift_i (IQMUL) are constant from the cycle before the first operands until the
// last result; with pass_i x_i passes, whatever they are. x_factor_i and y_factor_i are x_i and y_i
// as `factor` of ttpu_vpu_pkg gives them, for the product. Operations of a group that is left out
// (HasFp: floats; HasMul: products; HasShift: shifts and logic; HasConvert: I2F, F2I) act as PASS,
// in as many cycles.
module ttpu_vpu_alu
  import ttpu_isa_pkg::*;
  import ttpu_vpu_pkg::*;
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
    input  logic        pass_i,
    input  logic [31:0] x_i,
    input  logic [31:0] y_i,
    input  logic [31:0] x_factor_i,
    input  logic [31:0] y_factor_i,
    input  logic        pred_i,
    output logic [31:0] x_o,
    output logic        pred_o
);
  // What the operation is.
  typedef struct packed {
    logic fadd, fmul, imul, iqmul, i2f, f2i, shl, sra, srl, iadd, isub, fminmax, logic_xor;
  } kind_t;
  typedef struct packed {
    kind_t kind;
    logic fsub, order, least, select;  // order: minima and maxima, least: minima
    logic logical, either;             // either: OR, XOR
    logic pred_int, pred_fp, lt, eq;   // predicates: x < y, x == y
  } decoded_t;

  localparam logic Fp = HasFp != 0;
  localparam logic Mul = HasMul != 0;
  localparam logic Shift = HasShift != 0;
  localparam logic Convert = HasConvert != 0 && HasFp != 0;

  function automatic logic [31:0] reversed(input logic [31:0] a);
    for (int unsigned i = 0; i < 32; i++) reversed[i] = a[31-i];
  endfunction

  decoded_t op_q, now;
  always_ff @(posedge clk_i) begin
    op_q <= '0;
    op_q.kind.fadd <= Fp && (op_i == VopFadd || op_i == VopFsub);
    op_q.kind.fmul <= Fp && Mul && op_i == VopFmul;
    op_q.kind.imul <= Mul && op_i == VopImul;
    op_q.kind.iqmul <= Mul && op_i == VopIqmul;
    op_q.kind.i2f <= Convert && op_i == VopI2f;
    op_q.kind.f2i <= Convert && op_i == VopF2i;
    op_q.kind.shl <= Shift && op_i == VopIshl;
    op_q.kind.sra <= Shift && op_i == VopIsra;
    op_q.kind.srl <= Shift && op_i == VopIsrl;
    op_q.kind.iadd <= op_i == VopIadd;
    op_q.kind.isub <= op_i == VopIsub;
    op_q.kind.fminmax <= Fp && (op_i == VopFmin || op_i == VopFmax);
    op_q.kind.logic_xor <= Shift && op_i == VopXor;
    op_q.fsub <= Fp && op_i == VopFsub;
    op_q.order <= op_i == VopImin || op_i == VopImax || (Fp && (op_i == VopFmin || op_i == VopFmax));
    op_q.least <= op_i == VopImin || (Fp && op_i == VopFmin);
    op_q.select <= op_i == VopSel;
    op_q.logical <= Shift && (op_i == VopAnd || op_i == VopOr || op_i == VopXor);
    op_q.either <= Shift && (op_i == VopOr || op_i == VopXor);
    op_q.pred_int <= op_i == VopIceq || op_i == VopIclt || op_i == VopIcle;
    op_q.pred_fp <= Fp && (op_i == VopFceq || op_i == VopFclt || op_i == VopFcle);
    op_q.lt <= op_i == VopIclt || op_i == VopIcle || op_i == VopFclt || op_i == VopFcle;
    op_q.eq <= op_i == VopIceq || op_i == VopIcle || op_i == VopFceq || op_i == VopFcle;
  end
  assign now = pass_i ? '0 : op_q;

  // ---- 1: product, order of the operands, distance ----------------------------------------------
  logic [31:0] y, u1, w1;
  logic [30:0] unused_difference;
  logic [9:0] e1;
  logic [7:0] xy, yx, d;
  logic [4:0] amount;
  logic gt, eq, xz, yz, xm, ym, xnan, ynan, sub1, nan1, less, far, by_gt, other, pick;
  always_comb begin
    y = y_i;
    y[31] = y_i[31] ^ now.fsub;
    {gt, unused_difference} = {1'b0, x_i[30:0]} - {1'b0, y[30:0]};  // y > x on a carry chain
    eq = y[30:0] == x_i[30:0];
    xz = x_i[30:23] == 8'd0;
    yz = y[30:23] == 8'd0;
    xm = x_i[30:23] == 8'hff;
    ym = y[30:23] == 8'hff;
    xnan = xm & (x_i[22:0] != 23'd0);
    ynan = ym & (y[22:0] != 23'd0);
    sub1 = x_i[31] ^ y[31];
    // u1 is y if pick. x < y is x[31] where signs differ, else `gt`, of negative floats not: equal
    // ones, and zeros, may change places.
    by_gt = (now.order & ~sub1) | now.kind.fadd;
    other = now.order ? (x_i[31] & (sub1 | now.kind.fminmax)) ^ now.least :
        now.kind.isub | (now.select & ~pred_i);
    pick = (gt & by_gt) ^ other;
    for (int unsigned i = 0; i < 32; i++) begin
      u1[i] = now.logical ? (now.either ? x_i[i] | y[i] : x_i[i] & y[i]) : pick ? y[i] : x_i[i];
      w1[i] = now.logical ? x_i[i] & y[i] : pick | now.kind.f2i ? x_i[i] : y[i];
    end
    nan1 = xnan | (ynan & ~now.kind.f2i);
    if (now.kind.fadd) nan1 = nan1 | (xm & ym & sub1);
    if (now.kind.fmul) nan1 = nan1 | (xm & yz) | (ym & xz);
    nan1 = nan1 & (now.kind.fadd | now.kind.fmul | now.kind.fminmax | now.kind.f2i);
    e1 = {2'd0, x_i[30:23]} + {2'd0, y[30:23]} - 10'd126;
    // equal exponents are 0 apart, whichever is the larger number
    {less, xy} = {1'b0, x_i[30:23]} - {1'b0, y[30:23]};
    yx = y[30:23] - x_i[30:23];
    d = less ? yx : xy;
    far = (d[7:5] != 3'd0) | xz | yz;
    amount = 5'd0;
    if (now.kind.fadd) amount = d[4:0] | {5{far}};
    if (now.kind.f2i) amount = 5'd29 - x_i[27:23];  // 157 - exponent, where that is 0 to 31
    if (now.kind.iqmul) amount = shift_i;
    if (now.kind.shl || now.kind.sra || now.kind.srl) amount = y[4:0];
  end

  kind_t k1_q;
  logic [31:0] u1_q, w1_q;
  logic [63:0] p1_q;
  logic [9:0] e1_q;
  logic [4:0] amount1_q;
  logic v1_q, own1_q, sub1_q, both1_q, nan1_q, inf1_q, zero1_q, uz1_q, wz1_q, pred1_q;
  logic gt1_q, eq1_q, zeros1_q, nans1_q, pass1_q;
  always_ff @(posedge clk_i) begin
    v1_q <= valid_i;
    if (valid_i) begin
      k1_q <= now.kind;
      own1_q <= ~(now.kind.fadd | now.kind.f2i | now.kind.shl | now.kind.imul | now.kind.fmul |
                  now.kind.iqmul);
      u1_q <= u1;
      w1_q <= w1;
      if (Mul) p1_q <= 64'($signed(x_factor_i)) * 64'($signed(y_factor_i));
      e1_q <= e1;
      amount1_q <= amount;
      sub1_q <= sub1;
      both1_q <= x_i[31] & y[31];
      nan1_q <= nan1;
      inf1_q <= xm | ym;
      zero1_q <= xz | yz;
      uz1_q <= pick ? yz : xz;
      wz1_q <= now.kind.fadd & (xz | yz);
      pred1_q <= pred_i;
      pass1_q <= pass_i;
      gt1_q <= gt;
      eq1_q <= eq;
      zeros1_q <= xz & yz;
      nans1_q <= xnan | ynan;
    end
  end

  // ---- 2: shift to the right, predicates --------------------------------------------------------
  // What is to be shifted stands one bit to the left: the last bit that leaves is for rounding.
  logic [33:0] n2;
  logic [2:0] lost;  // what leaves, in three parts
  logic fill, lt_int, lt_fp, eq_int, eq_fp, pred2;
  always_comb begin
    fill = (k1_q.sra & u1_q[31]) | (k1_q.iqmul & p1_q[63]);
    n2[33] = fill;
    n2[32:1] = (u1_q & ~(w1_q & {32{k1_q.logic_xor}}) & {32{own1_q}}) |
        (reversed(u1_q) & {32{k1_q.shl}}) |
        ({2'b01, w1_q[22:0], 7'd0} & {32{k1_q.fadd | k1_q.f2i}}) |
        (p1_q[31:0] & {32{k1_q.imul}}) |
        (p1_q[62:31] & {32{k1_q.fmul | k1_q.iqmul}});
    n2[0] = p1_q[30] & (k1_q.fmul | k1_q.iqmul);
    lost[0] = (k1_q.fmul | k1_q.iqmul) & (p1_q[29:0] != 30'd0);
    lost[1] = amount1_q[4] & (n2[15:0] != 16'd0);
    n2 = amount1_q[4] ? {{16{fill}}, n2[33:16]} : n2;
    lost[1] = lost[1] | (amount1_q[3] & (n2[7:0] != 8'd0));
    n2 = amount1_q[3] ? {{8{fill}}, n2[33:8]} : n2;
    lost[2] = amount1_q[2] & (n2[3:0] != 4'd0);
    n2 = amount1_q[2] ? {{4{fill}}, n2[33:4]} : n2;
    lost[2] = lost[2] | (amount1_q[1] & (n2[1:0] != 2'd0));
    n2 = amount1_q[1] ? {{2{fill}}, n2[33:2]} : n2;
    lost[2] = lost[2] | (amount1_q[0] & n2[0]);
    n2 = amount1_q[0] ? {fill, n2[33:1]} : n2;
    n2[0] = n2[0] & ~wz1_q;  // nothing is left of a zero
    lost[2:1] = lost[2:1] & {2{~wz1_q}};

    lt_int = sub1_q ? u1_q[31] : gt1_q;
    eq_int = eq1_q & ~sub1_q;
    lt_fp = sub1_q ? u1_q[31] : u1_q[31] ? ~(gt1_q | eq1_q) : gt1_q;
    lt_fp = lt_fp & ~zeros1_q & ~nans1_q;  // subnormals are zeros
    eq_fp = (eq_int | zeros1_q) & ~nans1_q;
    pred2 = pred1_q;
    if (op_q.pred_int && !pass1_q) pred2 = (op_q.lt & lt_int) | (op_q.eq & eq_int);
    if (op_q.pred_fp && !pass1_q) pred2 = (op_q.lt & lt_fp) | (op_q.eq & eq_fp);
  end

  kind_t k2_q;
  logic [33:0] n2_q;
  logic [31:0] u2_q, w2_q;
  logic [9:0] e2_q;
  logic [2:0] lost2_q;
  logic v2_q, sub2_q, sign2_q, zsign2_q, nan2_q, inf2_q, zero2_q, over2_q, flush2_q,
        pred2_q;
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
      zero2_q <= (k1_q.fadd & uz1_q) | (k1_q.fmul & zero1_q) |
                 (k1_q.f2i & (nan1_q | u1_q[30:23] < 8'd126));
      flush2_q <= k1_q.fminmax & uz1_q;
      over2_q <= k1_q.f2i & ~nan1_q & (u1_q[30:23] > 8'd157);
      pred2_q <= pred2;
    end
  end

  // ---- 3: sum -----------------------------------------------------------------------------------
  logic [32:0] a3, b3, sum;
  logic carry, up, z3, z2, z1, unused_low;
  always_comb begin
    a3 = 33'd0;
    if (k2_q.fadd) a3 = {3'b001, u2_q[22:0], 7'd0};
    if (k2_q.iadd || k2_q.isub) a3 = {1'b0, w2_q};
    b3 = n2_q[33:1];
    if (k2_q.shl) b3 = {1'b0, reversed(n2_q[32:1])};
    if (k2_q.fadd || k2_q.fmul) b3[0] = n2_q[1] | n2_q[0] | (|lost2_q);
    up = (k2_q.iqmul | k2_q.f2i) & n2_q[0] & (n2_q[1] | (|lost2_q));
    carry = up ^ sub2_q;  // -(b + up) = ~b + (1 - up)
    {sum, unused_low} = {a3, 1'b1} + {b3 ^ {33{sub2_q}}, carry};
    z3 = sum[31:24] == 8'd0;
    z2 = sum[23:16] == 8'd0;
    z1 = sum[15:8] == 8'd0;
  end

  logic [32:0] n3_q;
  logic [9:0] e3_q;
  logic [4:3] s3_q;
  logic v3_q, iqmul3_q, float3_q, sign3_q, zsign3_q, nan3_q, inf3_q, zero3_q, over3_q, flush3_q,
        pred3_q;
  always_ff @(posedge clk_i) begin
    v3_q <= v2_q;
    if (v2_q) begin
      n3_q <= sum;
      e3_q <= e2_q;
      float3_q <= k2_q.fadd | k2_q.fmul | k2_q.i2f;
      s3_q <= {z3 & z2, z3 & (~z2 | z1)} & {2{k2_q.fadd | k2_q.fmul | k2_q.i2f}};
      iqmul3_q <= k2_q.iqmul;
      sign3_q <= sign2_q;
      zsign3_q <= zsign2_q;
      nan3_q <= nan2_q;
      inf3_q <= inf2_q;
      zero3_q <= zero2_q;
      over3_q <= over2_q;
      flush3_q <= flush2_q;
      pred3_q <= pred2_q;
    end
  end

  // ---- 4: normaliser ----------------------------------------------------------------------------
  // The three small distances at once: of either half of the byte that is at the top. What the
  // rounding picks is known ahead but where that hangs on the number.
  logic [31:0] n4;
  logic [4:0] s;
  logic [3:0] high;  // the byte's halves
  logic [3:1] low;
  logic sign4, over4, known4;
  logic [1:0] fraction4, exponent4;  // picked: 0, 1, rounded, n4_q
  always_comb begin
    s[4:3] = s3_q;
    n4 = s[4] ? n3_q[31:0] << 16 : n3_q[31:0];
    n4 = s[3] ? n4 << 8 : n4;
    {high, low} = n4[31:25];
    s[2] = high == 4'd0;
    s[1] = float3_q & (s[2] ? low[3:2] == 2'd0 : high[3:2] == 2'd0);
    s[0] = float3_q & (s[2] ? low[3:2] == 2'b01 || low[3:1] == 3'd0 :
                              high[3:2] == 2'b01 || high[3:1] == 3'd0);
    s[2] = float3_q & s[2];
    n4 = s[2] ? n4 << 4 : n4;
    n4 = s[1] ? n4 << 2 : n4;
    n4 = s[0] ? n4 << 1 : n4;

    sign4 = iqmul3_q ? n3_q[32] : sign3_q;
    over4 = over3_q | (iqmul3_q & (n3_q[32] != n3_q[31]));
    known4 = ~float3_q | nan3_q | inf3_q | zero3_q;
    exponent4 = float3_q ? {1'b0, inf3_q} : over4 ? {1'b0, ~sign4} : {2{~zero3_q}};
    fraction4 = float3_q | flush3_q ? 2'd0 : exponent4;  // a subnormal is a zero
    if (nan3_q) begin
      fraction4 = 2'd0;
      exponent4 = 2'd1;
    end
  end

  logic [31:0] n4_q;
  logic [9:0] e4_q;
  logic [4:0] s4_q;
  logic [1:0] fraction4_q, exponent4_q;
  logic v4_q, float4_q, sign4_q, zsign4_q, nan4_q, inf4_q, zero4_q, over4_q, known4_q, pred4_q;
  always_ff @(posedge clk_i) begin
    v4_q <= v3_q;
    if (v3_q) begin
      n4_q <= n4;
      e4_q <= e3_q;
      s4_q <= s;
      float4_q <= float3_q;
      sign4_q <= sign4;
      zsign4_q <= zsign3_q;
      nan4_q <= nan3_q;
      inf4_q <= inf3_q;
      zero4_q <= zero3_q;
      over4_q <= over4;
      known4_q <= known4;
      fraction4_q <= fraction4;
      exponent4_q <= exponent4;
      pred4_q <= pred3_q;
    end
  end

  // ---- 5: rounding ------------------------------------------------------------------------------
  logic [31:0] r;
  logic [30:0] rounded;
  logic [9:0] e5;
  logic [1:0] pick_fraction, pick_exponent;
  logic under, over, none, inf;
  always_comb begin
    e5 = e4_q - {5'd0, s4_q};
    // the leading one adds to the exponent, which is one too small; where the rounding makes it 255
    // the fraction becomes 0 by itself
    rounded = {e5[7:0], 23'd0} + {7'd0, n4_q[31:8]} +
        {30'd0, n4_q[7] & (n4_q[8] | (n4_q[6:0] != 7'd0))};
    under = e5[9];
    over = ~e5[9] & (e5[8] | (e5[7:1] == 7'h7f));
    pick_fraction[1] = known4_q ? fraction4_q[1] : n4_q[31] & ~(under | over);
    pick_fraction[0] = fraction4_q[0];
    pick_exponent[1] = known4_q ? exponent4_q[1] : n4_q[31] & ~(under | over);
    pick_exponent[0] = known4_q ? exponent4_q[0] : n4_q[31] & over;
    for (int unsigned i = 0; i < 23; i++)
      r[i] = pick_fraction[1] ? (pick_fraction[0] ? n4_q[i] : rounded[i]) :
          pick_fraction[0] | (i == 22 & nan4_q);
    for (int unsigned i = 23; i < 31; i++)
      r[i] = pick_exponent[1] ? (pick_exponent[0] ? n4_q[i] : rounded[i]) : pick_exponent[0];
    none = ~n4_q[31] | zero4_q;
    inf = inf4_q | (~none & over);
    r[31] = (none & ~inf) ? zsign4_q : sign4_q;
    if (!float4_q) r[31] = over4_q ? sign4_q : ~zero4_q & n4_q[31];
    r[31] = r[31] & ~nan4_q;
  end
  always_ff @(posedge clk_i) begin
    if (v4_q) begin
      x_o <= r;
      pred_o <= pred4_q;
    end
  end

  logic unused;
  assign unused = ^{k2_q, u2_q, now};
endmodule
