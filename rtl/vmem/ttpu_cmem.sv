// CMEM: memory shared by the tensor cores, CmemBytes in words of AxiBytes, interleaved over Banks
// banks (bank = word mod Banks), so that contiguous transfers of several cores settle into
// different banks. One read and one write port a core; handshake, latency (data in the second cycle
// after the grant) and arbitration as in ttpu_banked_ram. Masters check bounds: an address past the
// end wraps here.
module ttpu_cmem #(
  parameter int unsigned Cores = 2,
  parameter int unsigned CmemBytes = 4194304,  // power of two
  parameter int unsigned AxiBytes = 64,        // a word
  parameter int unsigned Banks = 4,            // power of two, >= 2
  localparam int unsigned AddrBits = $clog2(CmemBytes)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  // read ports, one a core
  input  logic [Cores-1:0]      rd_req_i,
  input  logic [AddrBits-1:0]   rd_addr_i [Cores],  // byte; the word that holds it is read
  output logic [Cores-1:0]      rd_gnt_o,
  output logic [8*AxiBytes-1:0] rd_data_o [Cores],
  output logic [Cores-1:0]      rd_valid_o,
  // write ports, one a core
  input  logic [Cores-1:0]      wr_req_i,
  input  logic [AddrBits-1:0]   wr_addr_i [Cores],
  input  logic [AxiBytes-1:0]   wr_be_i   [Cores],
  input  logic [8*AxiBytes-1:0] wr_data_i [Cores],
  output logic [Cores-1:0]      wr_gnt_o
);
  localparam int unsigned ByteBits = $clog2(AxiBytes);
  localparam int unsigned WordBits = AddrBits - ByteBits;

  logic [WordBits-1:0] rd_word [Cores];
  logic [WordBits-1:0] wr_word [Cores];

  for (genvar c = 0; c < Cores; c++) begin : gen_core
    assign rd_word[c] = rd_addr_i[c][ByteBits+:WordBits];
    assign wr_word[c] = wr_addr_i[c][ByteBits+:WordBits];
  end

  ttpu_banked_ram #(
    .Bytes(AxiBytes), .Banks(Banks), .Rows(CmemBytes / AxiBytes / Banks), .Ports(2), .Interleave(1),
    .NumRd(Cores), .NumWr(Cores)
  ) u_ram (
    .clk_i, .rst_ni,
    .rd_req_i, .rd_addr_i(rd_word), .rd_gnt_o, .rd_data_o, .rd_valid_o,
    .wr_req_i, .wr_addr_i(wr_word), .wr_be_i, .wr_data_i, .wr_gnt_o
  );

`ifndef SYNTHESIS
  initial assert (CmemBytes == 1 << AddrBits) else $fatal(1, "CmemBytes must be a power of two");
`endif
endmodule
