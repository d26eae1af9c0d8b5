// Special function unit for one lane, pipelined for FPGAs: ttpu_vpu_sfu for VpuLanes = 1.
//
// Latency LaneSfuLatency = 25 cycles, one number a cycle. docs/reference/sfu.md defines every bit
// of a result; names are those there, with the cycle in which a value is registered, from 0.
module ttpu_vpu_lane_sfu
  import ttpu_isa_pkg::*;
  import ttpu_vpu_pkg::*;
  import ttpu_fp_pkg::*;
  import ttpu_sfu_table_pkg::*;
  import ttpu_vpu_sfu_pkg::*;
(
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        clear_i,
    input  logic        valid_i,
    input  sfu_e        func_i,   // constant while numbers are on their way, not NONE
    input  logic [31:0] x_i,
    output logic        valid_o,
    output logic [31:0] y_o
);
  logic [32:0] rom_c0[SfuRows];
  logic [26:0] rom_c1[SfuRows];
  logic [19:0] rom_c2[SfuRows];
  logic [32:0] recip_c0[128];
  logic [26:0] recip_c1[128];
  logic [19:0] recip_c2[128];
  initial begin
    for (int unsigned i = 0; i < SfuRows; i++) begin
      rom_c0[i] = SfuC0[i];
      rom_c1[i] = SfuC1[i];
      rom_c2[i] = SfuC2[i];
    end
    for (int unsigned i = 0; i < 128; i++) begin
      recip_c0[i] = SfuC0[SfuBaseRecip + i];
      recip_c1[i] = SfuC1[SfuBaseRecip + i];
      recip_c2[i] = SfuC2[SfuBaseRecip + i];
    end
  end

  logic [LaneSfuLatency-1:0] valid_q;
  logic [LaneSfuLatency-1:0][31:0] x_q;  // x_q[i]: registered in cycle i
  always_ff @(posedge clk_i) begin
    valid_q <= (rst_ni && !clear_i) ? {valid_q[LaneSfuLatency-2:0], valid_i} : '0;
    x_q <= {x_q[LaneSfuLatency-2:0], x_i};
  end
  assign valid_o = valid_q[LaneSfuLatency-1];

  // ---- 0 P | 1, 2 Y | 3 row and place -----------------------------------------------------------
  logic [63:0] p0_q, y1_q, y2_q;
  logic [8:0] shift0;
  logic [5:0] shift0_q;
  logic none0_q;  // y is 0
  place_t ahead2_q;
  logic [31:0] place3;
  logic [TableBits-1:0] row3_q;
  logic [7:3][20:0] d_q;
  logic [15:3][11:0] n_q;
  always_comb begin
    shift0 = (func_i == SfuTanh ? 9'd158 : 9'd159) - {1'b0, x_i[30:23]};
    place3 = place(ahead2_q, x_q[2][22:0], y2_q[27:0]);
  end
  always_ff @(posedge clk_i) begin
    p0_q <= 64'({1'b1, x_i[22:0]}) * 64'(SfuLog2e37[37:0]);
    shift0_q <= shift0[5:0];
    none0_q <= shift0[8:6] != 3'd0 || shift0[5:0] < 6'd26;
    y1_q <= none0_q ? 64'd0 : p0_q >> shift0_q;
    ahead2_q <= place_ahead(x_q[1], func_i);
    y2_q <= (func_i != SfuExp || x_q[1][31]) ? 64'd0 - y1_q : y1_q;
    row3_q <= place3[21+:TableBits];
    d_q <= {d_q[6:3], place3[20:0]};
    n_q <= {n_q[14:3], y2_q[39:28]};
  end

  // ---- 4 table | 5 its rows | 6, 7 t | 8, 9 poly ------------------------------------------------
  logic [32:0] c0_4_q, c0_5_q;
  logic [8:6][32:0] c0_q;
  logic [26:0] c1_4_q, c1_5_q, c1_6_q;
  logic [19:0] c2_4_q, c2_5_q;
  logic signed [41:0] c2d6_q;
  logic signed [27:0] t7_q;
  logic signed [49:0] td8_q;
  logic [15:9][34:0] poly_q;
  always_ff @(posedge clk_i) begin
    c0_4_q <= rom_c0[row3_q];
    c1_4_q <= rom_c1[row3_q];
    c2_4_q <= rom_c2[row3_q];
    c0_5_q <= c0_4_q;
    c1_5_q <= c1_4_q;
    c2_5_q <= c2_4_q;
    c2d6_q <= 42'($signed(c2_5_q)) * 42'($signed({1'b0, d_q[5]}));
    c1_6_q <= c1_5_q;
    t7_q <= 28'($signed(c1_6_q)) + 28'(c2d6_q >>> 21);
    td8_q <= 50'(t7_q) * 50'($signed({1'b0, d_q[7]}));
    c0_q <= {c0_q[7:6], c0_5_q};
    poly_q <= {poly_q[14:9], {2'd0, c0_q[8]} + 35'(td8_q >>> 21)};
  end

  // ---- 10 T, table | 11 its rows | 12, 13 t | 14, 15 R ------------------------------------------
  logic [6:0] ahead9_q;
  logic [31:0] t10;
  logic [15:10][31:0] t_q;
  logic [32:0] c0r_10_q, c0r_11_q;
  logic [14:12][32:0] c0r_q;
  logic [26:0] c1_10_q, c1_11_q, c1_12_q;
  logic [19:0] c2_10_q, c2_11_q;
  logic signed [41:0] c2d12_q;
  logic signed [27:0] t13_q;
  logic signed [49:0] td14_q;
  logic [34:0] r15_q;
  assign t10 = power(poly_q[9], ahead9_q);
  always_ff @(posedge clk_i) begin
    ahead9_q <= power_ahead({{20{n_q[8][11]}}, n_q[8]}, x_q[8], func_i);
    t_q <= {t_q[14:10], t10};
    c0r_10_q <= recip_c0[t10[31:25]];
    c1_10_q <= recip_c1[t10[31:25]];
    c2_10_q <= recip_c2[t10[31:25]];
    c0r_11_q <= c0r_10_q;
    c1_11_q <= c1_10_q;
    c2_11_q <= c2_10_q;
    c2d12_q <= 42'($signed(c2_11_q)) * 42'($signed({1'b0, t_q[11][24:4]}));
    c1_12_q <= c1_11_q;
    t13_q <= 28'($signed(c1_12_q)) + 28'(c2d12_q >>> 21);
    td14_q <= 50'(t13_q) * 50'($signed({1'b0, t_q[13][24:4]}));
    c0r_q <= {c0r_q[13:12], c0r_11_q};
    r15_q <= {2'd0, c0r_q[14]} + 35'(td14_q >>> 21);
  end

  // ---- 16 factors | 17 products | 18 V | 19 |V| -------------------------------------------------
  logic [31:0] e16;
  logic [35:0] f, g, f16_q, g16_q;
  logic [24:0] z;
  logic [11:0] q;
  logic [22:16][11:0] q_q;
  logic [8:0] k, k16_q;
  logic half, low, s;
  logic [22:16] s_q;
  logic [63:0] v17_q, k17_q, v18_q, v19_q;
  logic [1:0] shift20, shift21, shift22;  // of the normaliser below
  always_comb begin
    e16 = (x_q[15] >> 23) & 32'hff;
    low = e16 < 32'd127;
    half = 32'(x_q[15][22:16]) >= SfuLogSplit;
    s = x_q[15][31];
    k = e16[8:0] - 9'd127 + {8'd0, half};
    z = half ? {2'd0, x_q[15][22:0]} - 25'h080_0000 : {1'd0, x_q[15][22:0], 1'b0};
    f = {12'd0, 1'b1, x_q[15][22:0]};
    g = {1'd0, poly_q[15]};
    q = e16[11:0] - 12'd182;
    case (func_i)
      SfuExp: begin
        f = 36'd1;
        q = n_q[15] - 12'd32;
        s = 1'b0;
      end
      SfuLog: begin
        f = {{11{z[24]}}, z};
        g = {3'd0, poly_q[15][34:2]};
        q = 12'd0 - 12'd54;
      end
      SfuRecip: begin
        f = 36'd1;
        q = 12'd95 - e16[11:0];
      end
      SfuRsqrt: begin
        f = 36'd1;
        q = e16[11:0] - 12'd127;
        q = 12'd0 - 12'd32 - 12'($signed(q) >>> 1);
      end
      SfuSigmoid: begin
        f = x_q[15][31] ? {1'd0, poly_q[15]} : 36'd1;
        g = x_q[15][31] ? {4'd0, r15_q[34:3]} : {1'd0, r15_q};
        q = x_q[15][31] ? n_q[15] - 12'd61 : 12'd0 - 12'd32;
        s = 1'b0;
      end
      SfuTanh: begin
        f = low ? f : 36'h1_0000_0000 - {4'd0, t_q[15]};
        g = low ? g : {4'd0, r15_q[34:3]};
        q = low ? q : 12'd0 - 12'd61;
      end
      default: begin  // ERF
        f = low ? f : 36'd1;
        q = low ? q : 12'd0 - 12'd32;
      end
    endcase
  end
  always_ff @(posedge clk_i) begin
    f16_q <= f;
    g16_q <= g;
    k16_q <= k;
    v17_q <= 64'($signed(f16_q)) * 64'($signed(g16_q));
    k17_q <= 64'($signed(k16_q)) * 64'($signed({1'b0, SfuLn254[53:0]}));
    v18_q <= func_i == SfuLog ? v17_q + k17_q : v17_q;
    v19_q <= (func_i == SfuLog && v18_q[63]) ? 64'd0 - v18_q : v18_q;
    s_q <= {s_q[21:16], s};
    if (func_i == SfuLog) s_q[19] <= v18_q[63];
    q_q[16] <= q;
    q_q[19:17] <= q_q[18:16];
    q_q[20] <= q_q[19] + 12'd189 - {6'd0, shift20, 4'd0};
    q_q[21] <= q_q[20] - {8'd0, shift21, 2'd0};
    q_q[22] <= q_q[21] - {10'd0, shift22};
  end

  // ---- 20, 21, 22 normalised | 23 rounded | 24 special values -----------------------------------
  // From 20 on q_q is the biased exponent, less one, if the leading one is in bit 63.
  logic [63:0] v20, v21, v22, v20_q, v21_q, v22_q;
  logic [31:0] n23, r23, r23_q, own23_q;
  logic is_own23_q;  // the input has a value of its own
  always_comb begin
    v20 = v19_q;
    shift20[1] = v20[63:32] == 32'd0;
    v20 = shift20[1] ? v20 << 32 : v20;
    shift20[0] = v20[63:48] == 16'd0;
    v20 = shift20[0] ? v20 << 16 : v20;
    v21 = v20_q;
    shift21[1] = v21[63:56] == 8'd0;
    v21 = shift21[1] ? v21 << 8 : v21;
    shift21[0] = v21[63:60] == 4'd0;
    v21 = shift21[0] ? v21 << 4 : v21;
    v22 = v21_q;
    shift22[1] = v22[63:62] == 2'd0;
    v22 = shift22[1] ? v22 << 2 : v22;
    shift22[0] = ~v22[63];
    v22 = shift22[0] ? v22 << 1 : v22;
    n23 = v22_q[63:32] | {31'd0, v22_q[31:0] != 32'd0};
    r23 = {1'b0, q_q[22][7:0], 23'd0} + {8'd0, n23[31:8]} +
          {31'd0, n23[7] & (n23[8] | (n23[6:0] != 7'd0))};
    if ($signed(q_q[22]) > $signed(12'd253) || r23[30:23] == 8'hff) r23 = Fp32Inf;
    if (q_q[22][11] || ~v22_q[63]) r23 = 32'd0;
    r23[31] = s_q[22];
  end
  always_ff @(posedge clk_i) begin
    v20_q <= v20;
    v21_q <= v21;
    v22_q <= v22;
    r23_q <= r23;
    {is_own23_q, own23_q} <= own_value(x_q[22], func_i);
    y_o <= is_own23_q ? own23_q : r23_q;
  end

  logic unused;
  assign unused = ^{place3, y2_q, x_q[24:23], t_q[15], e16};
endmodule
