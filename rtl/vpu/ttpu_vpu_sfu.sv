// Special function unit: EXP, LOG, RECIP, RSQRT, TANH, SIGMOID, ERF of N fp32 lanes.
//
// Latency SfuLatency = 11 cycles, one row a cycle. docs/reference/sfu.md defines every bit of a
// result: the names of the lane arrays below are the names there. valid_o rises with a row's
// results; nothing else needs to travel with them (the top keeps what does in a queue). Cycles: 1
// product with log2(e) | 2 table row and place | 3 table | 4 t | 5 poly | 6 e^-x, row of the
// reciprocal | 7 table | 8 t | 9 poly | 10 V and q | 11 rounding.
module ttpu_vpu_sfu
  import ttpu_isa_pkg::*;
  import ttpu_vpu_pkg::*;
  import ttpu_sfu_table_pkg::*;
  import ttpu_vpu_sfu_pkg::*;
#(
    parameter int unsigned N = 16,
    localparam int unsigned Width = N * 32
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             clear_i,
    input  logic             valid_i,
    input  sfu_e             func_i,   // constant while rows are on their way, not NONE
    input  logic [Width-1:0] x_i,
    output logic             valid_o,
    output logic [Width-1:0] y_o
);
  // ROMs: written once, read by every lane.
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

  // Lane state after each cycle.
  logic [31:0] x1[N], x2[N], x3[N], x4[N], x5[N], x6[N], x7[N], x8[N], x9[N], x10[N];
  logic [63:0] p1[N];                                // P
  logic [31:0] n2[N], n3[N], n4[N], n5[N], n6[N], n7[N], n8[N], n9[N];
  logic [TableBits-1:0] row2[N];
  logic [20:0] d2[N], d3[N], d4[N];
  logic [32:0] c0_3[N], c0_4[N];
  logic [26:0] c1_3[N];
  logic [19:0] c2_3[N];
  logic [27:0] t4[N];
  logic [34:0] p5[N], p6[N], p7[N], p8[N], p9[N];    // poly of the first table
  logic [31:0] t6[N], t7[N], t8[N], t9[N];           // T
  logic [6:0] row6[N];
  logic [20:0] d6[N], d7[N], d8[N];
  logic [32:0] c0_7[N], c0_8[N];
  logic [26:0] c1_7[N];
  logic [19:0] c2_7[N];
  logic [27:0] t_8[N];
  logic [34:0] r9[N];                                // R
  logic [63:0] v10[N];                               // V
  logic [31:0] q10[N];
  logic s10[N];
  logic [31:0] y11[N];
  logic [Width-1:0] packed11;
  logic [SfuLatency-1:0] valid_q;

  always_ff @(posedge clk_i) begin
    // 11: rounding and special values
    if (valid_q[9]) begin
      for (int unsigned l = 0; l < N; l++) y11[l] = round(s10[l], v10[l], q10[l]);
      for (int unsigned l = 0; l < N; l++) packed11[l*32+:32] = special(x10[l], y11[l], func_i);
      y_o <= packed11;
    end
    // 10: V and q
    if (valid_q[8]) begin
      for (int unsigned l = 0; l < N; l++) begin
        logic [31:0] e, k, z;
        logic [63:0] v, f, g;
        logic half, low;
        e = (x9[l] >> 23) & 32'hff;
        low = e < 32'd127;
        half = 32'(x9[l][22:16]) >= SfuLogSplit;
        s10[l] = x9[l][31];
        k = 32'd0;
        z = 32'd0;
        // V = f * g (+ k * ln 2): one product for all functions.
        f = {32'd0, (x9[l] & 32'h007f_ffff) | 32'h0080_0000};
        g = {29'd0, p9[l]};
        q10[l] = e - 32'd182;
        case (func_i)
          SfuExp: begin
            f = 64'd1;
            q10[l] = n9[l] - 32'd32;
            s10[l] = 1'b0;
          end
          SfuLog: begin
            z = x9[l] & 32'h007f_ffff;
            z = half ? z - 32'h0080_0000 : z << 1;
            k = e - 32'd127 + {31'd0, half};
            f = {{32{z[31]}}, z};
            g = {31'd0, p9[l][34:2]};
            q10[l] = 32'd0 - 32'd54;
          end
          SfuRecip: begin
            f = 64'd1;
            q10[l] = 32'd95 - e;  // -32 - E
          end
          SfuRsqrt: begin
            f = 64'd1;
            z = e - 32'd127;
            q10[l] = 32'd0 - 32'd32 - 32'($signed(z) >>> 1);
          end
          SfuSigmoid: begin
            f = x9[l][31] ? {29'd0, p9[l]} : 64'd1;
            g = x9[l][31] ? {32'd0, r9[l][34:3]} : {29'd0, r9[l]};
            q10[l] = x9[l][31] ? n9[l] - 32'd61 : 32'd0 - 32'd32;
            s10[l] = 1'b0;
          end
          SfuTanh: begin
            f = low ? f : 64'h1_0000_0000 - {32'd0, t9[l]};
            g = low ? g : {32'd0, r9[l][34:3]};
            q10[l] = low ? q10[l] : 32'd0 - 32'd61;
          end
          default: begin  // ERF
            f = low ? f : 64'd1;
            q10[l] = low ? q10[l] : 32'd0 - 32'd32;
          end
        endcase
        v = f * g;
        if (func_i == SfuLog) begin
          v = v + {{32{k[31]}}, k} * SfuLn254;
          s10[l] = v[63];
          v = v[63] ? 64'd0 - v : v;
        end
        v10[l] = v;
        x10[l] = x9[l];
      end
    end
    // 9: R
    if (valid_q[7]) begin
      for (int unsigned l = 0; l < N; l++) r9[l] = second_step(c0_8[l], t_8[l], d8[l]);
      for (int unsigned l = 0; l < N; l++) x9[l] = x8[l];
      for (int unsigned l = 0; l < N; l++) n9[l] = n8[l];
      for (int unsigned l = 0; l < N; l++) p9[l] = p8[l];
      for (int unsigned l = 0; l < N; l++) t9[l] = t8[l];
    end
    // 8
    if (valid_q[6]) begin
      for (int unsigned l = 0; l < N; l++) t_8[l] = first_step(c1_7[l], c2_7[l], d7[l]);
      for (int unsigned l = 0; l < N; l++) c0_8[l] = c0_7[l];
      for (int unsigned l = 0; l < N; l++) d8[l] = d7[l];
      for (int unsigned l = 0; l < N; l++) x8[l] = x7[l];
      for (int unsigned l = 0; l < N; l++) n8[l] = n7[l];
      for (int unsigned l = 0; l < N; l++) p8[l] = p7[l];
      for (int unsigned l = 0; l < N; l++) t8[l] = t7[l];
    end
    // 7
    if (valid_q[5]) begin
      for (int unsigned l = 0; l < N; l++) c0_7[l] = recip_c0[row6[l]];
      for (int unsigned l = 0; l < N; l++) c1_7[l] = recip_c1[row6[l]];
      for (int unsigned l = 0; l < N; l++) c2_7[l] = recip_c2[row6[l]];
      for (int unsigned l = 0; l < N; l++) d7[l] = d6[l];
      for (int unsigned l = 0; l < N; l++) x7[l] = x6[l];
      for (int unsigned l = 0; l < N; l++) n7[l] = n6[l];
      for (int unsigned l = 0; l < N; l++) p7[l] = p6[l];
      for (int unsigned l = 0; l < N; l++) t7[l] = t6[l];
    end
    // 6: T
    if (valid_q[4]) begin
      for (int unsigned l = 0; l < N; l++) t6[l] = power(p5[l], power_ahead(n5[l], x5[l], func_i));
      for (int unsigned l = 0; l < N; l++) row6[l] = t6[l][31:25];
      for (int unsigned l = 0; l < N; l++) d6[l] = t6[l][24:4];
      for (int unsigned l = 0; l < N; l++) x6[l] = x5[l];
      for (int unsigned l = 0; l < N; l++) n6[l] = n5[l];
      for (int unsigned l = 0; l < N; l++) p6[l] = p5[l];
    end
    // 5: poly
    if (valid_q[3]) begin
      for (int unsigned l = 0; l < N; l++) p5[l] = second_step(c0_4[l], t4[l], d4[l]);
      for (int unsigned l = 0; l < N; l++) x5[l] = x4[l];
      for (int unsigned l = 0; l < N; l++) n5[l] = n4[l];
    end
    // 4
    if (valid_q[2]) begin
      for (int unsigned l = 0; l < N; l++) t4[l] = first_step(c1_3[l], c2_3[l], d3[l]);
      for (int unsigned l = 0; l < N; l++) c0_4[l] = c0_3[l];
      for (int unsigned l = 0; l < N; l++) d4[l] = d3[l];
      for (int unsigned l = 0; l < N; l++) x4[l] = x3[l];
      for (int unsigned l = 0; l < N; l++) n4[l] = n3[l];
    end
    // 3: table
    if (valid_q[1]) begin
      for (int unsigned l = 0; l < N; l++) c0_3[l] = rom_c0[row2[l]];
      for (int unsigned l = 0; l < N; l++) c1_3[l] = rom_c1[row2[l]];
      for (int unsigned l = 0; l < N; l++) c2_3[l] = rom_c2[row2[l]];
      for (int unsigned l = 0; l < N; l++) d3[l] = d2[l];
      for (int unsigned l = 0; l < N; l++) x3[l] = x2[l];
      for (int unsigned l = 0; l < N; l++) n3[l] = n2[l];
    end
    // 2: row and place
    if (valid_q[0]) begin
      for (int unsigned l = 0; l < N; l++) begin
        logic [59:0] y;
        y = split(p1[l], x1[l], func_i);
        n2[l] = y[59:28];
        {row2[l], d2[l]} = place(place_ahead(x1[l], func_i), x1[l][22:0], y[27:0]);
        x2[l] = x1[l];
      end
    end
    // 1: P
    if (valid_i) begin
      for (int unsigned l = 0; l < N; l++) x1[l] = x_i[l*32+:32];
      for (int unsigned l = 0; l < N; l++)
        p1[l] = {32'd0, (x1[l] & 32'h007f_ffff) | 32'h0080_0000} * SfuLog2e37;
    end
    valid_q <= (rst_ni && !clear_i) ? {valid_q[SfuLatency-2:0], valid_i} : '0;
  end

  assign valid_o = valid_q[SfuLatency-1];
endmodule
