// Two signed 8 x 8 products with their weights: weight i is taken in a cycle of we_i and stays; the
// product of x_i[i] and weight i, as both stand in cycle t, is on p_o[i] in cycle t + 1. No enable, no reset.
// Style: MulInfer = the synthesizer's multipliers (and the simulator's), MulIce40 = one SB_MAC16,
// which holds the weights in its own input registers, MulGowin = two MULT9X9, one MULT18X18's room;
// their registers have one enable, so the weights are held outside.
module ttpu_micro_mul2 #(
  parameter int unsigned Style = 0
) (
  input  logic        clk_i,
  input  logic        we_i,
  input  logic [15:0] w_i,  // weight 1, weight 0
  input  logic [15:0] x_i,  // activation 1, activation 0
  output logic [31:0] p_o   // product 1, product 0
);
  localparam int unsigned MulIce40 = 1;
  localparam int unsigned MulGowin = 2;

  if (Style == MulIce40) begin : gen_ice40
    // 8x8 mode: the upper bytes of A and B give O[31:16], the lower ones O[15:0], each behind its own register.
    logic unused_co, unused_accumco, unused_signextout;
    SB_MAC16 #(
      .B_REG(1'b1), .TOP_8x8_MULT_REG(1'b1), .BOT_8x8_MULT_REG(1'b1),
      .TOPOUTPUT_SELECT(2'b10), .BOTOUTPUT_SELECT(2'b10), .MODE_8x8(1'b1), .A_SIGNED(1'b1), .B_SIGNED(1'b1)
    ) i_mac (
      .CLK(clk_i), .CE(1'b1), .A(x_i), .B(w_i), .C(16'h0), .D(16'h0),
      .AHOLD(1'b0), .BHOLD(~we_i), .CHOLD(1'b0), .DHOLD(1'b0),
      .IRSTTOP(1'b0), .IRSTBOT(1'b0), .ORSTTOP(1'b0), .ORSTBOT(1'b0), .OLOADTOP(1'b0), .OLOADBOT(1'b0),
      .ADDSUBTOP(1'b0), .ADDSUBBOT(1'b0), .OHOLDTOP(1'b0), .OHOLDBOT(1'b0),
      .CI(1'b0), .ACCUMCI(1'b0), .SIGNEXTIN(1'b0),
      .O(p_o), .CO(unused_co), .ACCUMCO(unused_accumco), .SIGNEXTOUT(unused_signextout)
    );
  end else if (Style == MulGowin) begin : gen_gowin
    logic [15:0] w_q;
    always_ff @(posedge clk_i) if (we_i) w_q <= w_i;
    for (genvar i = 0; i < 2; i++) begin : gen_mul
      logic [17:0] product;
      logic [8:0] unused_soa, unused_sob;
      logic unused;
      assign unused = ^product[17:16];  // the sign again
      MULT9X9 #(.OUT_REG(1'b1)) i_mul (
        .CLK(clk_i), .CE(1'b1), .RESET(1'b0), .A({x_i[8*i+7], x_i[8*i+:8]}),
        .B({w_q[8*i+7], w_q[8*i+:8]}), .ASIGN(1'b1), .BSIGN(1'b1), .ASEL(1'b0), .BSEL(1'b0),
        .SIA(9'h0), .SIB(9'h0), .DOUT(product), .SOA(unused_soa), .SOB(unused_sob)
      );
      assign p_o[16*i+:16] = product[15:0];
    end
  end else begin : gen_infer
    logic signed [7:0] w0_q, w1_q;
    always_ff @(posedge clk_i) begin
      if (we_i) {w1_q, w0_q} <= w_i;
      p_o <= {16'($signed(x_i[15:8]) * w1_q), 16'($signed(x_i[7:0]) * w0_q)};
    end
  end
endmodule
