// Instruction memory: ImemWords instructions of 128 bits, one synchronous port. Fetch: fetch_en_i
// and fetch_addr_i in cycle t, fetch_data_o from cycle t+1 until the next fetch. Host: one 32-bit
// word a cycle, only while the scalar core stands (the port is shared); host_rdata_o is valid in
// cycle t+1. The words of an instruction are held back; in the cycle after that of word 3, which must
// not be a read, the whole instruction is written, with what is decoded of it. What was never written
// is a NOP where memory powers up as zeros: so is what is decoded of it.
module ttpu_imem
  import ttpu_isa_pkg::*;
  import ttpu_control_pkg::*;
#(
  parameter int unsigned ImemWords = 4096,  // instructions
  parameter int unsigned DmaChannels = 2,
  localparam int unsigned AddrBits = $clog2(ImemWords)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  // scalar core
  input  logic                fetch_en_i,
  input  logic [AddrBits-1:0] fetch_addr_i,
  output logic [127:0]        fetch_data_o,
  output decoded_t            fetch_decoded_o,
  // host
  input  logic                host_en_i,
  input  logic                host_we_i,
  input  logic [AddrBits+1:0] host_addr_i,  // 32-bit word
  input  logic [31:0]         host_wdata_i,
  output logic [31:0]         host_rdata_o
);
  localparam int unsigned DecodedBits = $bits(decoded_t);
  logic [DecodedBits+127:0] mem_q [ImemWords];
  logic [DecodedBits+127:0] data_q;
  decoded_t            decoded;
  logic [127:0]        stage_q;
  logic [6:0]          used, used_q;  // bits of the body, by the opcode: a cycle behind word 0
  logic [BodyBits-1:0] unused_q;
  logic [1:0]          word_q;
  logic                write_q;
  logic [AddrBits-1:0] write_addr_q, addr;

  assign addr = write_q ? write_addr_q : host_en_i ? host_addr_i[AddrBits+1:2] : fetch_addr_i;

  assign used = body_bits(stage_q[7:0]);
  ttpu_decode #(.DmaChannels(DmaChannels)) i_decode (
    .instr_i(stage_q), .used_i(used_q), .unused_i(unused_q), .decoded_o(decoded)
  );
  always_ff @(posedge clk_i) begin
    if (write_q) mem_q[addr] <= {decoded, stage_q};
    else if (fetch_en_i || host_en_i) data_q <= mem_q[addr];
  end

  always_ff @(posedge clk_i) begin
    write_q <= rst_ni && host_en_i && host_we_i && host_addr_i[1:0] == 2'd3;
    used_q <= used;
    for (int unsigned i = 0; i < BodyBits; i++) unused_q[i] <= 7'(i) >= used;
    write_addr_q <= host_addr_i[AddrBits+1:2];
    if (host_en_i) begin
      word_q <= host_addr_i[1:0];
      if (host_we_i && host_addr_i[1:0] == 2'd0) stage_q[31:0] <= host_wdata_i;
      if (host_we_i && host_addr_i[1:0] == 2'd1) stage_q[63:32] <= host_wdata_i;
      if (host_we_i && host_addr_i[1:0] == 2'd2) stage_q[95:64] <= host_wdata_i;
      if (host_we_i && host_addr_i[1:0] == 2'd3) stage_q[127:96] <= host_wdata_i;
    end
  end

  assign fetch_data_o = data_q[127:0];
  assign fetch_decoded_o = data_q[128+:DecodedBits];
  assign host_rdata_o = data_q[32*word_q +: 32];

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) if (rst_ni)
    assert (!(write_q && (fetch_en_i || (host_en_i && !host_we_i))))
      else $error("imem: a read in the cycle in which an instruction is written");
  initial begin
    assert (ImemWords == 1 << AddrBits && AddrBits <= 14)
    else $fatal(1, "ImemWords must be a power of two up to 16384");
    assert (OpNop == '0 && body_bits(OpNop) == '0) else $fatal(1, "zeros must decode as zeros");
  end
`endif
endmodule
