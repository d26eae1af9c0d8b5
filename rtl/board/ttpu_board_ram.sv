// On-chip memory of Bytes as the HBM of one core: AXI4 slave of AxiBytes a beat, and a port of
// 32 bits for the host's bridge. One burst at a time; after a cycle for its address a read burst
// gives a beat a cycle, a write burst takes one a cycle. The host's word goes between two
// bursts, before the next one: it waits for one burst at most. Addresses beyond Bytes answer
// SLVERR (host: err). Bursts must be INCR of full beats, as the chip's are.
module ttpu_board_ram #(
  parameter int unsigned Bytes = 8192,    // a power of two, at least 4 beats, below 16 MiB
  parameter int unsigned AxiBytes = 8,
  parameter int unsigned AddrBits = 64,
  parameter int unsigned IdBits = 4,
  parameter int unsigned Style = 0        // of ttpu_ram_1rw
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  s_axi_awvalid_i,
  output logic                  s_axi_awready_o,
  input  logic [AddrBits-1:0]   s_axi_awaddr_i,
  input  logic [IdBits-1:0]     s_axi_awid_i,
  input  logic                  s_axi_wvalid_i,
  output logic                  s_axi_wready_o,
  input  logic [8*AxiBytes-1:0] s_axi_wdata_i,
  input  logic [AxiBytes-1:0]   s_axi_wstrb_i,
  input  logic                  s_axi_wlast_i,
  output logic                  s_axi_bvalid_o,
  input  logic                  s_axi_bready_i,
  output logic [IdBits-1:0]     s_axi_bid_o,
  output logic [1:0]            s_axi_bresp_o,
  input  logic                  s_axi_arvalid_i,
  output logic                  s_axi_arready_o,
  input  logic [AddrBits-1:0]   s_axi_araddr_i,
  input  logic [7:0]            s_axi_arlen_i,
  input  logic [IdBits-1:0]     s_axi_arid_i,
  output logic                  s_axi_rvalid_o,
  input  logic                  s_axi_rready_i,
  output logic [8*AxiBytes-1:0] s_axi_rdata_o,
  output logic [IdBits-1:0]     s_axi_rid_o,
  output logic [1:0]            s_axi_rresp_o,
  output logic                  s_axi_rlast_o,
  // host
  input  logic                  mem_req_i,
  input  logic                  mem_we_i,
  input  logic [31:0]           mem_addr_i,
  input  logic [31:0]           mem_wdata_i,
  output logic                  mem_done_o,
  output logic                  mem_err_o,
  output logic [31:0]           mem_rdata_o
);
  localparam int unsigned Rows = Bytes / AxiBytes;
  localparam int unsigned RowBits = $clog2(Rows);
  localparam int unsigned Shift = $clog2(AxiBytes);
  localparam int unsigned ByteBits = $clog2(Bytes);
  localparam int unsigned LaneBits = AxiBytes > 4 ? Shift - 2 : 1;

  typedef enum logic [1:0] {Idle, Read, Write, Respond} state_e;
  state_e              state_q;
  logic [RowBits-1:0]  row_q;
  logic [7:0]          left_q;            // beats after this one
  logic [IdBits-1:0]   id_q;
  logic                bad_q, have_q, last_q, host_q;

  // ---- the one port of the memory ---------------------------------------------------------------
  logic                  host_take, read_next, write_next, host_bad;
  logic [LaneBits-1:0]   lane;
  logic [8*AxiBytes-1:0] rdata;
  assign lane = AxiBytes > 4 ? mem_addr_i[2+:LaneBits] : '0;
  assign host_bad = mem_addr_i >= Bytes;
  assign host_take = state_q == Idle && mem_req_i && !host_q;
  assign read_next = state_q == Read && !last_q && (!have_q || s_axi_rready_i);
  assign write_next = state_q == Write && s_axi_wvalid_i && !bad_q;
  ttpu_ram_1rw #(.Rows(Rows), .Bytes(AxiBytes), .Style(Style)) i_ram (
    .clk_i,
    .en_i((host_take && !host_bad) || read_next || write_next),
    .we_i(state_q == Idle ? mem_we_i : state_q == Write),
    .addr_i(state_q == Idle ? mem_addr_i[Shift+:RowBits] : row_q),
    .wr_be_i(state_q == Idle ? AxiBytes'(4'hf) << {lane, 2'b00} : s_axi_wstrb_i),
    .wr_data_i(state_q == Idle ? {AxiBytes / 4{mem_wdata_i}} : s_axi_wdata_i),
    .rd_data_o(rdata)
  );

  assign mem_done_o = host_q;
  assign mem_err_o = host_bad;
  assign mem_rdata_o = rdata[32*lane+:32];

  assign s_axi_arready_o = state_q == Idle && !mem_req_i;
  assign s_axi_awready_o = state_q == Idle && !mem_req_i && !s_axi_arvalid_i;
  assign s_axi_wready_o = state_q == Write;
  assign s_axi_bvalid_o = state_q == Respond;
  assign s_axi_bid_o = id_q;
  assign s_axi_bresp_o = {bad_q, 1'b0};
  assign s_axi_rvalid_o = have_q;
  assign s_axi_rdata_o = rdata;
  assign s_axi_rid_o = id_q;
  assign s_axi_rresp_o = {bad_q, 1'b0};
  assign s_axi_rlast_o = last_q;

  always_ff @(posedge clk_i) begin
    host_q <= host_take;
    case (state_q)
      Idle: begin
        have_q <= 1'b0;
        last_q <= 1'b0;
        left_q <= s_axi_arlen_i;
        if (!mem_req_i && s_axi_arvalid_i) begin
          state_q <= Read;
          row_q <= s_axi_araddr_i[Shift+:RowBits];
          id_q <= s_axi_arid_i;
          bad_q <= s_axi_araddr_i[AddrBits-1:ByteBits] != '0;
        end else if (!mem_req_i && s_axi_awvalid_i) begin
          state_q <= Write;
          row_q <= s_axi_awaddr_i[Shift+:RowBits];
          id_q <= s_axi_awid_i;
          bad_q <= s_axi_awaddr_i[AddrBits-1:ByteBits] != '0;
        end
      end
      Read: begin
        if (read_next) begin
          have_q <= 1'b1;
          row_q <= row_q + 1'b1;
          left_q <= left_q - 8'd1;
          last_q <= left_q == '0;
        end else if (s_axi_rready_i && last_q) begin
          have_q <= 1'b0;
          last_q <= 1'b0;
          state_q <= Idle;
        end
      end
      Write: begin
        if (s_axi_wvalid_i) begin
          row_q <= row_q + 1'b1;
          if (s_axi_wlast_i) state_q <= Respond;
        end
      end
      default: if (s_axi_bready_i) state_q <= Idle;
    endcase
    if (!rst_ni) begin
      state_q <= Idle;
      have_q <= 1'b0;
      last_q <= 1'b0;
      host_q <= 1'b0;
    end
  end

  // Bits of addresses below a beat.
  logic unused;
  assign unused = ^{s_axi_awaddr_i[Shift-1:0], s_axi_araddr_i[Shift-1:0], mem_addr_i[1:0]};

`ifndef SYNTHESIS
  initial begin
    assert (Bytes == 1 << ByteBits && Rows >= 4 && Bytes < 1 << 24)
      else $fatal(1, "ttpu_board_ram: Bytes must be a power of two, 4 beats to 8 MiB");
    assert (AxiBytes >= 4) else $fatal(1, "ttpu_board_ram: AxiBytes must be 4 or more");
  end
`endif
endmodule
