// From a serial line to the chip's registers (AXI4-Lite master) and to the board's memory:
// requests with number and CRC, one at a time, each answered with one reply. See
// docs/reference/uart.md.
//
// Request: A5, number, command, count, address (4 bytes, low first), count words if it writes,
// CRC-32. Reply: 5A, number, status, count, count words if status[6], CRC-32.
// A request whose number is that of the last one executed is not executed again: its reply is
// sent again from the buffer. After reset nothing but PING is executed, so a host notices a
// reset. A frame that is damaged, or has a gap of 2^GapBits clocks, is answered with BadFrame
// and changes nothing. Between a request's last byte and its reply's first lie at most 60 clocks
// and, for each word, 14 clocks plus the access; an access without an answer ends after
// 2^GapBits clocks as Hung, after which only a reset of the board makes sense. What arrives
// before the reply is out is dropped.
module ttpu_uart_bridge #(
  parameter int unsigned Div = 16,        // clocks a bit, at least 4
  parameter int unsigned GapBits = 18,    // log2 of the longest gap in a frame, in clocks
  parameter logic [31:0] HbmBytes = 0     // what PING says
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        rx_i,
  output logic        tx_o,
  output logic        busy_o,             // a request is being executed or answered
  // registers
  output logic        m_axil_awvalid_o,
  input  logic        m_axil_awready_i,
  output logic [23:0] m_axil_awaddr_o,
  output logic        m_axil_wvalid_o,
  input  logic        m_axil_wready_i,
  output logic [31:0] m_axil_wdata_o,
  output logic [3:0]  m_axil_wstrb_o,
  input  logic        m_axil_bvalid_i,
  output logic        m_axil_bready_o,
  input  logic [1:0]  m_axil_bresp_i,
  output logic        m_axil_arvalid_o,
  input  logic        m_axil_arready_i,
  output logic [23:0] m_axil_araddr_o,
  input  logic        m_axil_rvalid_i,
  output logic        m_axil_rready_o,
  input  logic [31:0] m_axil_rdata_i,
  input  logic [1:0]  m_axil_rresp_i,
  // memory: a word, held until the answer, which comes with the data of a read
  output logic        mem_req_o,
  output logic        mem_we_o,
  output logic [31:0] mem_addr_o,
  output logic [31:0] mem_wdata_o,
  input  logic        mem_done_i,
  input  logic        mem_err_i,          // with done: no such address
  input  logic [31:0] mem_rdata_i
);
  localparam logic [7:0] SyncIn = 8'hA5;
  localparam logic [7:0] SyncOut = 8'h5A;
  localparam logic [31:0] Magic = 32'h32425554;  // "TUB2"
  // commands: bit 0 write, bit 1 fixed address, bit 2 memory, bit 3 access (else PING)
  localparam int unsigned Write = 0;
  localparam int unsigned Fixed = 1;
  localparam int unsigned Memory = 2;
  localparam int unsigned Access = 3;

  typedef enum logic [2:0] {Okay, Refused, BadFrame, NotGreeted, Hung} status_e;
  typedef enum logic [3:0] {
    Idle, Head, Data, Sum, Judge, Fetch, Request, Answer, Keep, Next, SendHead, SendData, SendSum
  } state_e;

  state_e      state_q;
  logic [55:0] head_q;                    // number, command, count, address; number in the low byte
  logic [8:0]  index_q;                   // byte of the part in hand
  logic [31:0] word_q;
  logic [6:0]  done_q;                    // words executed
  status_e     status_q;
  logic        reads_q;                   // the kept reply has data
  logic [7:0]  last_q;                    // number of the kept reply
  logic        greeted_q;
  logic        nak_q;
  logic        phase_q;
  logic        aw_q, w_q, ar_q;
  logic [GapBits:0] gap_q;

  // Comparisons a clock ahead of their use, for speed: nothing in them changes in the clock before.
  logic        legal_q, full_q;           // the request may be executed; its data is there
  logic        same_q, last_word_q;       // number of the kept reply; no word behind this one
  logic        last_byte_q, match_q, crc_busy_q;
  logic        bad_q, hung_q;             // of the access that has just ended

  logic [7:0]  number, command;
  logic [6:0]  count;
  logic [31:0] addr;
  assign {addr, count, command, number} = {head_q[55:24], head_q[22:16], head_q[15:8], head_q[7:0]};
  logic legal_count;                      // 1 to 64, or anything for what moves no data
  assign legal_count = !head_q[23] && (!head_q[22] || head_q[21:16] == '0);
  logic legal_command;
  assign legal_command = command[7:4] == '0 && (command[Access] || command[2:0] == '0);

  // ---- line -------------------------------------------------------------------------------------
  logic       rx_valid, tx_valid, tx_ready, tx_taken;
  logic [7:0] rx_data, tx_data;
  ttpu_uart_rx #(.Div(Div)) i_rx (.clk_i, .rst_ni, .rx_i, .valid_o(rx_valid), .data_o(rx_data));
  ttpu_uart_tx #(.Div(Div)) i_tx (
    .clk_i, .rst_ni, .valid_i(tx_valid), .data_i(tx_data), .ready_o(tx_ready), .tx_o);
  assign tx_taken = tx_valid && tx_ready;

  logic        sending, crc_busy, crc_match, crc_valid;
  logic [31:0] crc;
  assign sending = state_q == SendHead || state_q == SendData;
  assign crc_valid = sending ? tx_taken && !(state_q == SendHead && index_q[1:0] == 2'd0)
                             : rx_valid && !busy_o;
  ttpu_uart_crc i_crc (
    .clk_i, .clear_i(state_q == Idle || state_q == Judge || state_q == Next), .valid_i(crc_valid),
    .data_i(sending ? tx_data : rx_data), .busy_o(crc_busy), .match_o(crc_match), .crc_o(crc)
  );

  // ---- buffer: data of the request in the low half, of the kept reply in the high half ----------
  logic       buf_we;
  logic [7:0] buf_rdata;
  assign buf_we = (state_q == Data && rx_valid) || state_q == Keep;
  ttpu_ram_1r1w #(.Rows(512), .Bytes(1)) i_buffer (
    .clk_i, .rd_en_i(1'b1), .rd_addr_i({state_q != Fetch, index_q[7:0]}), .rd_data_o(buf_rdata),
    .wr_en_i(buf_we), .wr_addr_i({state_q == Keep, index_q[7:0]}), .wr_be_i(1'b1),
    .wr_data_i(state_q == Keep ? word_q[7:0] : rx_data)
  );

  // ---- reply ------------------------------------------------------------------------------------
  logic [7:0] head_byte;
  logic [7:0] sum_byte;
  logic       has_data;
  assign has_data = reads_q && !nak_q;
  always_comb begin
    unique case (index_q[1:0])
      2'd0: head_byte = SyncOut;
      2'd1: head_byte = number;
      2'd2: head_byte = {1'b0, has_data, 3'd0, nak_q ? BadFrame : status_q};
      2'd3: head_byte = nak_q ? 8'd0 : {1'b0, done_q};
    endcase
    unique case (index_q[1:0])
      2'd0: sum_byte = ~crc[7:0];
      2'd1: sum_byte = ~crc[15:8];
      2'd2: sum_byte = ~crc[23:16];
      2'd3: sum_byte = ~crc[31:24];
    endcase
  end
  assign tx_data = state_q == SendHead ? head_byte : state_q == SendData ? buf_rdata : sum_byte;
  // A byte of the buffer is there one clock after its index.
  assign tx_valid = (state_q == SendHead || state_q == SendData || state_q == SendSum) && phase_q;
  assign busy_o = !(state_q == Idle || state_q == Head || state_q == Data || state_q == Sum);

  // ---- accesses ---------------------------------------------------------------------------------
  assign m_axil_awvalid_o = aw_q;
  assign m_axil_awaddr_o = addr[23:0];
  assign m_axil_wvalid_o = w_q;
  assign m_axil_wdata_o = word_q;
  assign m_axil_wstrb_o = '1;
  assign m_axil_bready_o = state_q == Answer;
  assign m_axil_arvalid_o = ar_q;
  assign m_axil_araddr_o = addr[23:0];
  assign m_axil_rready_o = state_q == Answer;
  assign mem_req_o = state_q == Answer && command[Access] && command[Memory];
  assign mem_we_o = command[Write];
  assign mem_addr_o = addr;
  assign mem_wdata_o = word_q;

  logic        answered, failed;
  logic [31:0] answer;
  always_comb begin
    if (!command[Access]) begin
      {answered, failed, answer} = {1'b1, 1'b0, done_q[0] ? HbmBytes : Magic};
    end else if (command[Memory]) begin
      {answered, failed, answer} = {mem_done_i, mem_err_i, mem_rdata_i};
    end else if (command[Write]) begin
      {answered, failed, answer} = {m_axil_bvalid_i, m_axil_bresp_i[1], mem_rdata_i};
    end else begin
      {answered, failed, answer} = {m_axil_rvalid_i, m_axil_rresp_i[1], m_axil_rdata_i};
    end
  end
  logic unused;
  assign unused = m_axil_bresp_i[0] ^ m_axil_rresp_i[0];

  logic timed_out;
  assign timed_out = gap_q[GapBits];

  always_ff @(posedge clk_i) begin
    gap_q <= gap_q + 1'b1;
    phase_q <= 1'b1;
    if (aw_q && m_axil_awready_i) aw_q <= 1'b0;
    if (w_q && m_axil_wready_i) w_q <= 1'b0;
    if (ar_q && m_axil_arready_i) ar_q <= 1'b0;
    if (rx_valid && !busy_o) gap_q <= '0;
    legal_q <= legal_count && legal_command;
    full_q <= state_q == Data && (!(command[Write] && legal_count) || index_q[8:2] == count);
    same_q <= number == last_q;
    last_word_q <= done_q + 7'd1 == count;
    last_byte_q <= index_q + 9'd1 == {done_q, 2'b00};
    match_q <= crc_match;
    crc_busy_q <= crc_busy;

    case (state_q)
      // ---- request ----
      Idle: begin
        index_q <= '0;
        nak_q <= 1'b0;
        if (rx_valid && rx_data == SyncIn) state_q <= Head;
      end
      Head: begin
        if (rx_valid) begin
          head_q <= {rx_data, head_q[55:8]};
          index_q <= index_q + 1'b1;
          if (index_q == 9'd6) begin
            index_q <= '0;
            state_q <= Data;
          end
        end
      end
      Data: begin
        if (full_q) begin
          index_q <= '0;
          state_q <= Sum;
        end else if (rx_valid) begin
          index_q <= index_q + 1'b1;
        end
      end
      Sum: begin
        if (rx_valid) index_q <= index_q + 1'b1;
        if (index_q[2] && !crc_busy && !crc_busy_q && !rx_valid) begin
          nak_q <= !match_q || !legal_q;
          state_q <= Judge;
        end
      end

      // ---- execution ----
      Judge: begin
        index_q <= '0;
        phase_q <= 1'b0;
        gap_q <= '0;
        if (nak_q) begin
          state_q <= SendHead;
        end else if (command[Access] && !greeted_q) begin
          done_q <= '0;
          reads_q <= 1'b0;
          status_q <= NotGreeted;
          state_q <= SendHead;
        end else if (command[Access] && same_q) begin
          state_q <= SendHead;
        end else begin
          last_q <= number;
          greeted_q <= 1'b1;
          done_q <= '0;
          reads_q <= !command[Write];
          status_q <= Okay;
          if (!command[Access]) head_q[23:16] <= 8'd2;
          state_q <= command[Access] && count == '0 ? SendHead : command[Write] ? Fetch : Request;
        end
      end
      Fetch: begin                        // two clocks a byte
        phase_q <= !phase_q;
        gap_q <= '0;
        if (phase_q) begin
          word_q <= {buf_rdata, word_q[31:8]};
          index_q <= index_q + 1'b1;
          if (index_q[1:0] == 2'd3) state_q <= Request;
        end
      end
      Request: begin
        gap_q <= '0;
        aw_q <= command[Access] && !command[Memory] && command[Write];
        w_q <= command[Access] && !command[Memory] && command[Write];
        ar_q <= command[Access] && !command[Memory] && !command[Write];
        state_q <= Answer;
      end
      Answer: begin                       // what a bad answer brings is not sent
        if (!command[Write]) word_q <= answer;
        bad_q <= !answered || failed;
        hung_q <= !answered;
        if (timed_out) {aw_q, w_q, ar_q} <= '0;
        if (answered || timed_out) state_q <= command[Write] ? Next : Keep;
      end
      Keep: begin
        word_q <= {8'd0, word_q[31:8]};
        index_q <= index_q + 1'b1;
        if (index_q[1:0] == 2'd3) state_q <= Next;
      end
      Next: begin
        phase_q <= 1'b0;
        state_q <= command[Write] ? Fetch : Request;
        if (bad_q) begin
          status_q <= hung_q ? Hung : Refused;
        end else begin
          done_q <= done_q + 1'b1;
          if (!command[Fixed]) head_q[55:24] <= addr + 32'd4;
        end
        if (bad_q || last_word_q) begin
          index_q <= '0;
          state_q <= SendHead;
        end
      end

      // ---- reply ----
      SendHead: begin
        if (tx_taken) begin
          index_q <= index_q + 1'b1;
          phase_q <= 1'b0;
          if (index_q[1:0] == 2'd3) begin
            index_q <= '0;
            state_q <= has_data && done_q != '0 ? SendData : SendSum;
          end
        end
      end
      SendData: begin
        if (tx_taken) begin
          index_q <= index_q + 1'b1;
          phase_q <= 1'b0;
          if (last_byte_q) begin
            index_q <= '0;
            state_q <= SendSum;
          end
        end
      end
      SendSum: begin
        if (tx_taken) begin
          index_q <= index_q + 1'b1;
          if (index_q[1:0] == 2'd3) state_q <= Idle;
        end
      end
      default: state_q <= Idle;
    endcase

    if (timed_out && (state_q == Head || state_q == Data || state_q == Sum)) begin
      nak_q <= 1'b1;
      state_q <= Judge;
    end
    if (!rst_ni) begin
      state_q <= Idle;
      greeted_q <= 1'b0;
      {aw_q, w_q, ar_q} <= '0;
    end
  end

`ifndef SYNTHESIS
  initial assert (GapBits >= 8 && GapBits <= 30) else $fatal(1, "GapBits must be 8 to 30");
  // The CRC takes 9 clocks a byte, less than a byte on the line.
  always_ff @(posedge clk_i) begin
    if (rst_ni && crc_valid && state_q != Idle) begin
      assert (!crc_busy) else $error("ttpu_uart_bridge: a byte before the CRC of the last");
    end
  end
`endif
endmodule
