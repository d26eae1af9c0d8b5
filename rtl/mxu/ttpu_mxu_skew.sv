// Triangle of delays: lane d of q_o is lane d of d_i, d * Step enabled cycles ago.
//
// Lane 0 passes through; the other lanes leave from registers. Nothing moves while en_i is low.
// No reset: what comes out in the first cycles is whatever stood there.
// Up to 16 lanes it is made of shift registers; above, each lane is a small ring memory (LUT RAM
// or block RAM), which saves registers and, in simulation, moving all of them in every cycle.
module ttpu_mxu_skew #(
    parameter int unsigned N = 16,  // lanes
    parameter int unsigned W = 16,  // bits of a lane
    parameter int unsigned Step = 1
) (
    input  logic         clk_i,
    input  logic         en_i,
    input  logic [W-1:0] d_i  [N],
    output logic [W-1:0] q_o  [N]
);
  assign q_o[0] = d_i[0];

  if (Step > 1) begin : gen_step
    for (genvar d = 1; d < N; d++) begin : gen_lane
      logic [d*Step*W-1:0] stage_q;  // the youngest in the low bits
      always_ff @(posedge clk_i) begin
        if (en_i) stage_q <= {stage_q[0+:(d*Step-1)*W], d_i[d]};
      end
      assign q_o[d] = stage_q[(d*Step-1)*W+:W];
    end
  end else if (N <= 16) begin : gen_shift
    // Stage k (1..d-1) of lane d stands at d*N + N - k; the last stage is the output register.
    logic [  W-1:0] stage [N*N];
    logic [N*W-1:W] out_q;
    always_ff @(posedge clk_i) begin
      if (en_i) begin
        out_q[W+:W] <= d_i[1];
        for (int unsigned d = 2; d < N; d++) out_q[d*W+:W] <= stage[d*N+N+1-d];
        for (int unsigned i = 0; i < N * N - 1; i++) stage[i] = stage[i+1];
        for (int unsigned d = 0; d < N; d++) stage[d*N+N-1] = d_i[d];
      end
    end
    for (genvar d = 1; d < N; d++) begin : gen_out
      assign q_o[d] = out_q[d*W+:W];
    end
  end else begin : gen_ring
    localparam int unsigned PtrBits = $clog2(N);
    logic [PtrBits-1:0] ptr_q;
    always_ff @(posedge clk_i) begin
      if (en_i) ptr_q <= ptr_q + 1'b1;
    end
    for (genvar d = 1; d < N; d++) begin : gen_lane
      logic [W-1:0] out_q;
      if (d == 1) begin : gen_one
        always_ff @(posedge clk_i) begin
          if (en_i) out_q <= d_i[d];
        end
      end else begin : gen_mem
        localparam int unsigned Bits = $clog2(d);  // 2^Bits >= d: a read never meets the write
        logic [W-1:0] mem[2**Bits];
        logic [Bits-1:0] addr;
        assign addr = ptr_q[Bits-1:0];
        always_ff @(posedge clk_i) begin
          if (en_i) begin
            out_q <= mem[addr-Bits'(d-1)];
            mem[addr] <= d_i[d];
          end
        end
      end
      assign q_o[d] = out_q;
    end
  end
endmodule
