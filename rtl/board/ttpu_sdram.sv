// Single-data-rate SDRAM as the HBM of one core: AXI4 slave of AxiBytes a beat, and a port of 32
// bits for the host's bridge, as ttpu_board_ram has them. See docs/reference/sdram.md.
//
// ready_o: the SDRAM is initialised, PowerUpUs and some hundred clocks after reset; keep the chip
// in reset until then. Reads, writes and the host's word take turns, burst by burst: the host
// waits for three bursts at most. A burst moves a word of DataBits a clock within a row, but for
// a refresh each TrefiNs; up to four read bursts are in flight, one write burst; read beats are
// buffered (16), so a slow master costs nothing but its own time. B comes when all words are
// written; a read taken after it sees them. Bursts must be INCR of full beats, and must not cross
// 4 KiB; address bits below a beat are ignored. Addresses beyond the SDRAM answer SLVERR with all
// beats and change nothing (host: err).
module ttpu_sdram #(
  parameter int unsigned DataBits = 16,   // 16 or 32
  parameter int unsigned RowBits = 13,
  parameter int unsigned BankBits = 2,
  parameter int unsigned ColBits = 9,
  parameter int unsigned ClkKhz = 100000,
  parameter int unsigned CasLatency = 2,
  parameter int unsigned CaptureFall = 0, // 1: data is taken on the falling edge, below 80 MHz
  parameter int unsigned TrcdNs = 20,
  parameter int unsigned TrpNs = 20,
  parameter int unsigned TrasNs = 45,
  parameter int unsigned TrcNs = 65,
  parameter int unsigned TrrdNs = 15,
  parameter int unsigned TrfcNs = 66,
  parameter int unsigned TwrNs = 15,
  parameter int unsigned TmrdClocks = 2,
  parameter int unsigned ThzNs = 7,
  parameter int unsigned TrefiNs = 7800,
  parameter int unsigned PowerUpUs = 200,
  parameter int unsigned AxiBytes = 8,    // DataBits / 8 to 16
  parameter int unsigned AddrBits = 64,
  parameter int unsigned IdBits = 4,
  localparam int unsigned AddrPins = RowBits > 11 ? RowBits : 11
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  output logic                  ready_o,
  input  logic                  s_axi_awvalid_i,
  output logic                  s_axi_awready_o,
  input  logic [AddrBits-1:0]   s_axi_awaddr_i,
  input  logic [7:0]            s_axi_awlen_i,
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
  output logic [31:0]           mem_rdata_o,
  // pins
  output logic                  sdram_cke_o,
  output logic                  sdram_cs_no,
  output logic                  sdram_ras_no,
  output logic                  sdram_cas_no,
  output logic                  sdram_we_no,
  output logic [BankBits-1:0]   sdram_ba_o,
  output logic [AddrPins-1:0]   sdram_addr_o,
  output logic [DataBits/8-1:0] sdram_dqm_o,
  output logic [DataBits-1:0]   sdram_dq_o,
  output logic [DataBits-1:0]   sdram_dq_oe_o,
  input  logic [DataBits-1:0]   sdram_dq_i
);
  localparam int unsigned WordBytes = DataBits / 8;
  localparam int unsigned WordShift = $clog2(WordBytes);
  localparam int unsigned Shift = $clog2(AxiBytes);
  localparam int unsigned BeatWords = AxiBytes / WordBytes;
  localparam int unsigned HostWords = 4 / WordBytes;
  localparam int unsigned WordAddrBits = RowBits + BankBits + ColBits;
  localparam int unsigned ByteBits = WordAddrBits + WordShift;
  localparam int unsigned LenBits = 8 + $clog2(BeatWords);
  localparam int unsigned IndexBits = BeatWords > 2 ? $clog2(BeatWords) : 1;
  localparam int unsigned ReadDepth = 16; // beats
  localparam int unsigned RoomBits = $clog2(ReadDepth + 1);
  localparam int unsigned PackBits = AxiBytes > 4 ? 8 * AxiBytes : 32;

  // ---- who is next ------------------------------------------------------------------------------
  localparam int unsigned Host = 0;
  localparam int unsigned Read = 1;
  localparam int unsigned Write = 2;
  logic [2:0] wish, grant;
  logic       free, host_bad, ar_bad, aw_bad;
  logic       host_busy_q, host_done_q, host_err_q;
  logic       err_q;                      // a read burst beyond the end is being answered
  logic       w_busy_q, w_sink_q;         // a write burst is in hand; beyond the end
  logic       b_valid_q, b_bad_q;
  logic       id_ready, id_valid;
  logic       run_valid_q, run_ready, run_we_q, run_host_q;
  logic [WordAddrBits-1:0] run_addr_q;
  logic [LenBits-1:0]      run_last_q;

  assign host_bad = mem_addr_i[31:2] >> (ByteBits - 2) != '0;
  assign ar_bad = s_axi_araddr_i[AddrBits-1:ByteBits] != '0;
  assign aw_bad = s_axi_awaddr_i[AddrBits-1:ByteBits] != '0;
  assign free = !run_valid_q && ready_o;
  assign wish[Host] = free && mem_req_i && !host_busy_q;
  assign wish[Read] = free && s_axi_arvalid_i && !err_q && (ar_bad ? !id_valid : id_ready);
  assign wish[Write] = free && s_axi_awvalid_i && !w_busy_q && !b_valid_q;
  logic [1:0] unused_index;
  ttpu_rr_arb #(.NumReq(3)) i_arb (
    .clk_i, .rst_ni, .req_i(wish), .advance_i(1'b1), .gnt_o(grant), .index_o(unused_index));
  assign s_axi_arready_o = grant[Read];
  assign s_axi_awready_o = grant[Write];

  always_ff @(posedge clk_i) begin
    if (run_ready) run_valid_q <= 1'b0;
    if (grant != '0) begin
      run_valid_q <= grant[Host] ? !host_bad : grant[Read] ? !ar_bad : !aw_bad;
      run_we_q <= grant[Host] ? mem_we_i : grant[Write];
      run_host_q <= grant[Host];
      run_last_q <= grant[Host] ? LenBits'(HostWords - 1)
                    : LenBits'({grant[Read] ? s_axi_arlen_i : s_axi_awlen_i, {8{1'b1}}}
                               >> (8 - $clog2(BeatWords)));
      run_addr_q <= grant[Host]
                    ? WordAddrBits'(mem_addr_i >> 2 << (2 - WordShift))
                    : WordAddrBits'((grant[Read] ? s_axi_araddr_i : s_axi_awaddr_i)
                                    >> Shift << (Shift - WordShift));
    end
    if (!rst_ni) run_valid_q <= 1'b0;
  end

  // ---- the SDRAM --------------------------------------------------------------------------------
  logic                 we, host, take, last, wr_valid, rd_go, rd_valid, rd_host, rd_last;
  logic [DataBits-1:0]  wr_data, rd_data;
  logic [WordBytes-1:0] wr_be;
  ttpu_sdram_ctl #(
    .DataBits(DataBits), .RowBits(RowBits), .BankBits(BankBits), .ColBits(ColBits),
    .LenBits(LenBits), .ClkKhz(ClkKhz), .CasLatency(CasLatency), .CaptureFall(CaptureFall),
    .TrcdNs(TrcdNs), .TrpNs(TrpNs), .TrasNs(TrasNs), .TrcNs(TrcNs), .TrrdNs(TrrdNs),
    .TrfcNs(TrfcNs), .TwrNs(TwrNs), .TmrdClocks(TmrdClocks), .ThzNs(ThzNs),
    .TrefiNs(TrefiNs), .PowerUpUs(PowerUpUs)
  ) i_ctl (
    .clk_i, .rst_ni, .ready_o,
    .run_valid_i(run_valid_q), .run_ready_o(run_ready), .run_we_i(run_we_q),
    .run_tag_i(run_host_q), .run_addr_i(run_addr_q), .run_last_i(run_last_q),
    .we_o(we), .tag_o(host), .take_o(take), .last_o(last),
    .wr_valid_i(wr_valid), .wr_data_i(wr_data), .wr_be_i(wr_be), .rd_go_i(rd_go),
    .rd_valid_o(rd_valid), .rd_tag_o(rd_host), .rd_last_o(rd_last), .rd_data_o(rd_data),
    .sdram_cke_o, .sdram_cs_no, .sdram_ras_no, .sdram_cas_no, .sdram_we_no, .sdram_ba_o,
    .sdram_addr_o, .sdram_dqm_o, .sdram_dq_o, .sdram_dq_oe_o, .sdram_dq_i
  );

  // Word of the beat, or of the host's 32 bits, that is next to go.
  logic [IndexBits-1:0] index_q;
  logic                 beat_end;
  assign beat_end = index_q == IndexBits'(BeatWords - 1);
  always_ff @(posedge clk_i) begin
    if (take) index_q <= last || (beat_end && !host) ? '0 : index_q + 1'b1;
    if (!rst_ni) index_q <= '0;
  end

  // ---- writes -----------------------------------------------------------------------------------
  logic                  w_valid, w_pop, w_last;
  logic [8*AxiBytes-1:0] w_data;
  logic [AxiBytes-1:0]   w_strb;
  logic [1:0]            unused_w_count;
  ttpu_fifo #(.Width(9 * AxiBytes + 1), .Depth(2)) i_write (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .push_valid_i(s_axi_wvalid_i), .push_ready_o(s_axi_wready_o),
    .push_data_i({s_axi_wlast_i, s_axi_wstrb_i, s_axi_wdata_i}),
    .pop_valid_o(w_valid), .pop_ready_i(w_pop), .pop_data_o({w_last, w_strb, w_data}),
    .count_o(unused_w_count)
  );
  assign w_pop = w_sink_q || (take && we && !host && beat_end);
  assign wr_valid = host || w_valid;
  assign wr_data = host ? DataBits'(mem_wdata_i >> (DataBits * 32'(index_q[0] && HostWords > 1)))
                        : w_data[DataBits*index_q+:DataBits];
  assign wr_be = host ? '1 : w_strb[WordBytes*index_q+:WordBytes];

  logic [IdBits-1:0] b_id_q;
  assign s_axi_bvalid_o = b_valid_q;
  assign s_axi_bid_o = b_id_q;
  assign s_axi_bresp_o = {b_bad_q, 1'b0};
  always_ff @(posedge clk_i) begin
    if (s_axi_bready_i) b_valid_q <= 1'b0;
    if ((take && last && we && !host) || (w_sink_q && w_valid && w_last)) begin
      w_busy_q <= 1'b0;
      w_sink_q <= 1'b0;
      b_valid_q <= 1'b1;
      b_bad_q <= w_sink_q;
    end
    if (grant[Write]) begin
      w_busy_q <= 1'b1;
      w_sink_q <= aw_bad;
      b_id_q <= s_axi_awid_i;
    end
    if (!rst_ni) begin
      w_busy_q <= 1'b0;
      w_sink_q <= 1'b0;
      b_valid_q <= 1'b0;
    end
  end

  // ---- reads ------------------------------------------------------------------------------------
  // Words come back in the order of their commands and are packed, low word first.
  logic [PackBits-1:0]  pack_q, pack;
  logic [IndexBits-1:0] back_q;           // word of the beat that comes next
  logic                 back_end;
  assign pack = PackBits'({rd_data, pack_q} >> DataBits);
  assign back_end = back_q == IndexBits'(BeatWords - 1);
  always_ff @(posedge clk_i) begin
    if (rd_valid) begin
      pack_q <= pack;
      back_q <= rd_last || back_end ? '0 : back_q + 1'b1;
    end
    if (!rst_ni) back_q <= '0;
  end

  logic                  r_push, r_ready, r_valid, r_pop, r_last;
  logic [8*AxiBytes-1:0] r_data;
  logic [RoomBits-1:0]   room_q, unused_r_count;   // beats that may still be asked for
  assign r_push = rd_valid && !rd_host && back_end;
  assign r_pop = r_valid && s_axi_rready_i && !err_q;
  assign rd_go = host || index_q != '0 || room_q != '0;
  ttpu_fifo #(.Width(8 * AxiBytes + 1), .Depth(ReadDepth)) i_read (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .push_valid_i(r_push), .push_ready_o(r_ready),
    .push_data_i({rd_last, pack[PackBits-1-:8*AxiBytes]}),
    .pop_valid_o(r_valid), .pop_ready_i(r_pop), .pop_data_o({r_last, r_data}),
    .count_o(unused_r_count)
  );

  logic              reserve;
  logic [IdBits-1:0] id;
  logic [2:0]        unused_id_count;
  assign reserve = take && !we && !host && index_q == '0;
  ttpu_fifo #(.Width(IdBits), .Depth(4)) i_ids (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .push_valid_i(grant[Read] && !ar_bad), .push_ready_o(id_ready), .push_data_i(s_axi_arid_i),
    .pop_valid_o(id_valid), .pop_ready_i(r_pop && r_last), .pop_data_o(id),
    .count_o(unused_id_count)
  );

  logic [7:0]        err_left_q;
  logic [IdBits-1:0] err_id_q;
  always_ff @(posedge clk_i) begin
    if (reserve != r_pop) room_q <= r_pop ? room_q + 1'b1 : room_q - 1'b1;
    if (err_q && s_axi_rready_i) begin
      err_left_q <= err_left_q - 1'b1;
      if (err_left_q == '0) err_q <= 1'b0;
    end
    if (grant[Read] && ar_bad) begin
      err_q <= 1'b1;
      err_left_q <= s_axi_arlen_i;
      err_id_q <= s_axi_arid_i;
    end
    if (!rst_ni) begin
      room_q <= RoomBits'(ReadDepth);
      err_q <= 1'b0;
    end
  end
  assign s_axi_rvalid_o = err_q || r_valid;
  assign s_axi_rdata_o = r_data;
  assign s_axi_rid_o = err_q ? err_id_q : id;
  assign s_axi_rresp_o = {err_q, 1'b0};
  assign s_axi_rlast_o = err_q ? err_left_q == '0 : r_last;

  // ---- host -------------------------------------------------------------------------------------
  logic [31:0] host_data_q;
  assign mem_done_o = host_done_q;
  assign mem_err_o = host_err_q;
  assign mem_rdata_o = host_data_q;
  always_ff @(posedge clk_i) begin
    host_done_q <= (take && last && we && host) || (rd_valid && rd_last && rd_host)
                   || (grant[Host] && host_bad);
    if (rd_valid && rd_host) host_data_q <= pack[PackBits-1-:32];
    if (host_done_q) host_busy_q <= 1'b0;
    if (grant[Host]) begin
      host_busy_q <= 1'b1;
      host_err_q <= host_bad;
    end
    if (!rst_ni) begin
      host_busy_q <= 1'b0;
      host_done_q <= 1'b0;
    end
  end

  logic unused;
  assign unused = ^{s_axi_awaddr_i[Shift-1:0], s_axi_araddr_i[Shift-1:0], mem_addr_i[1:0]};

`ifndef SYNTHESIS
  initial begin
    assert ((DataBits == 16 || DataBits == 32) && AxiBytes >= WordBytes && AxiBytes <= 16)
      else $fatal(1, "ttpu_sdram: DataBits 16 or 32, AxiBytes DataBits / 8 to 16");
  end
  function automatic logic fits(logic [11:0] addr, logic [7:0] len);
    fits = (32'(addr) >> Shift) + 32'(len) < 4096 / AxiBytes;
  endfunction
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!r_push || r_ready) else $error("ttpu_sdram: a word read without room for it");
      assert (!grant[Read] || fits(s_axi_araddr_i[11:0], s_axi_arlen_i))
        else $error("ttpu_sdram: a read burst crosses 4 KiB");
      assert (!grant[Write] || fits(s_axi_awaddr_i[11:0], s_axi_awlen_i))
        else $error("ttpu_sdram: a write burst crosses 4 KiB");
      assert (!(take && we && !host) || !beat_end || w_last == last)
        else $error("ttpu_sdram: WLAST does not fit AWLEN");
    end
  end
`endif
endmodule
