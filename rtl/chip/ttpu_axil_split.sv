// AXI4-Lite from the host to the windows of Cores tensor cores: core i at i << WindowBits. One
// write and one read at a time; a write goes on when address and data are both there. An address in
// no core's window answers SLVERR. Adds one cycle to each response of such an address, none to
// others.
module ttpu_axil_split #(
  parameter int unsigned Cores = 2,
  parameter int unsigned SelBits = 4
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  // host
  input  logic                  s_axil_awvalid_i,
  output logic                  s_axil_awready_o,
  input  logic [SelBits-1:0]    s_axil_awsel_i,   // the core's number: high address bits
  input  logic                  s_axil_wvalid_i,
  output logic                  s_axil_wready_o,
  output logic                  s_axil_bvalid_o,
  input  logic                  s_axil_bready_i,
  output logic [1:0]            s_axil_bresp_o,
  input  logic                  s_axil_arvalid_i,
  output logic                  s_axil_arready_o,
  input  logic [SelBits-1:0]    s_axil_arsel_i,
  output logic                  s_axil_rvalid_o,
  input  logic                  s_axil_rready_i,
  output logic [31:0]           s_axil_rdata_o,
  output logic [1:0]            s_axil_rresp_o,
  // cores; data, strobes and low address bits go to all of them past this module
  output logic [Cores-1:0]      awvalid_o,   // and wvalid
  input  logic [Cores-1:0]      awready_i,   // and wready
  input  logic [Cores-1:0]      bvalid_i,
  output logic [Cores-1:0]      bready_o,
  input  logic [1:0]            bresp_i [Cores],
  output logic [Cores-1:0]      arvalid_o,
  input  logic [Cores-1:0]      arready_i,
  input  logic [Cores-1:0]      rvalid_i,
  output logic [Cores-1:0]      rready_o,
  input  logic [31:0]           rdata_i [Cores],
  input  logic [1:0]            rresp_i [Cores]
);
  localparam logic [1:0]  SlvErr = 2'b10;

  logic               w_open_q, r_open_q;   // an access was passed on and is not answered
  logic [SelBits-1:0] w_sel_q, r_sel_q, w_sel, r_sel;
  logic               w_go, w_taken, r_taken;

  assign w_sel = s_axil_awsel_i;
  assign r_sel = s_axil_arsel_i;
  assign w_go = s_axil_awvalid_i && s_axil_wvalid_i && !w_open_q;

  // Which core is meant; none if its number is too large: then the access is taken here.
  logic [Cores-1:0] w_core, r_core;
  always_comb begin
    for (int unsigned c = 0; c < Cores; c++) begin
      w_core[c] = w_sel == SelBits'(c);
      r_core[c] = r_sel == SelBits'(c);
    end
  end
  assign awvalid_o = w_go ? w_core : '0;
  assign arvalid_o = s_axil_arvalid_i && !r_open_q ? r_core : '0;
  assign w_taken = w_go && (w_core == '0 || (w_core & awready_i) != '0);
  assign r_taken = s_axil_arvalid_i && !r_open_q && (r_core == '0 || (r_core & arready_i) != '0);
  assign s_axil_awready_o = w_taken;
  assign s_axil_wready_o = w_taken;
  assign s_axil_arready_o = r_taken;

  always_comb begin
    s_axil_bvalid_o = w_open_q;
    s_axil_bresp_o = SlvErr;
    s_axil_rvalid_o = r_open_q;
    s_axil_rdata_o = '0;
    s_axil_rresp_o = SlvErr;
    for (int unsigned c = 0; c < Cores; c++) begin
      bready_o[c] = w_open_q && w_sel_q == SelBits'(c) && s_axil_bready_i;
      rready_o[c] = r_open_q && r_sel_q == SelBits'(c) && s_axil_rready_i;
      if (w_sel_q == SelBits'(c)) begin
        s_axil_bvalid_o = w_open_q && bvalid_i[c];
        s_axil_bresp_o = bresp_i[c];
      end
      if (r_sel_q == SelBits'(c)) begin
        s_axil_rvalid_o = r_open_q && rvalid_i[c];
        s_axil_rdata_o = rdata_i[c];
        s_axil_rresp_o = rresp_i[c];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      w_open_q <= 1'b0;
      r_open_q <= 1'b0;
    end else begin
      if (w_taken) w_open_q <= 1'b1;
      else if (s_axil_bvalid_o && s_axil_bready_i) w_open_q <= 1'b0;
      if (r_taken) r_open_q <= 1'b1;
      else if (s_axil_rvalid_o && s_axil_rready_i) r_open_q <= 1'b0;
    end
    if (w_taken) w_sel_q <= w_sel;
    if (r_taken) r_sel_q <= r_sel;
  end
endmodule
