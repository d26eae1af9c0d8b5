// Scalar memory: SmemWords words of 32 bits, one synchronous port shared by the scalar core and,
// while that stands, the host. Enable and address in cycle t, rdata_o from cycle t+1 until the next
// read.
module ttpu_smem #(
  parameter int unsigned SmemWords = 4096,  // words
  localparam int unsigned AddrBits = $clog2(SmemWords)
) (
  input  logic                clk_i,
  input  logic                core_en_i,
  input  logic                core_we_i,
  input  logic [AddrBits-1:0] core_addr_i,
  input  logic [31:0]         core_wdata_i,
  input  logic                host_en_i,
  input  logic                host_we_i,
  input  logic [AddrBits-1:0] host_addr_i,
  input  logic [31:0]         host_wdata_i,
  output logic [31:0]         rdata_o
);
  logic [31:0]         mem_q [SmemWords];
  logic                en, we;
  logic [AddrBits-1:0] addr;

  assign en = core_en_i || host_en_i;
  assign we = host_en_i ? host_we_i : core_we_i;
  assign addr = host_en_i ? host_addr_i : core_addr_i;

  always_ff @(posedge clk_i) begin
    if (en && we) mem_q[addr] <= host_en_i ? host_wdata_i : core_wdata_i;
    else if (en) rdata_o <= mem_q[addr];
  end

`ifndef SYNTHESIS
  initial assert (SmemWords == 1 << AddrBits && AddrBits <= 16)
    else $fatal(1, "SmemWords must be a power of two up to 65536");
`endif
endmodule
