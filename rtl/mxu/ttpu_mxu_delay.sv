// q_o is d_i, Depth cycles ago. A shift register up to 16 stages, a ring memory with a register behind
// it above. No reset.
module ttpu_mxu_delay #(
    parameter int unsigned W = 16,
    parameter int unsigned Depth = 32  // at least 2
) (
    input  logic         clk_i,
    input  logic [W-1:0] d_i,
    output logic [W-1:0] q_o
);
  logic [W-1:0] out_q;
  assign q_o = out_q;

  if (Depth <= 16) begin : gen_shift
    logic [(Depth-1)*W-1:0] stage_q;  // the youngest in the low bits
    always_ff @(posedge clk_i) {out_q, stage_q} <= {stage_q, d_i};
  end else begin : gen_ring
    localparam int unsigned Bits = $clog2(Depth);
    logic [W-1:0] mem[2**Bits];
    logic [Bits-1:0] ptr_q;
    logic [W-1:0] read_q;
    always_ff @(posedge clk_i) begin
      ptr_q <= ptr_q + 1'b1;
      out_q <= read_q;
      read_q <= mem[ptr_q-Bits'(Depth-2)];
      mem[ptr_q] <= d_i;
    end
  end
endmodule
