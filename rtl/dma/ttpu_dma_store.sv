// Write path: bursts of the channels -> VMEM reads -> aligner -> AXI writes or CMEM writes. Bursts
// are taken round robin, one a cycle while less than AxiOutstanding wait for data and less than 2 *
// AxiOutstanding for a response. AWVALID stands in the cycle after; neither AW nor W waits for the
// other. One beat a cycle. A response with an error is reported (fault_*_o) one cycle after it
// came. flush_i: VMEM is no longer read, the beats still owed to the bus go out without strobes.
module ttpu_dma_store
  import ttpu_pkg::*;
  import ttpu_dma_pkg::*;
#(
  parameter int unsigned N = 16,
  parameter int unsigned DmaChannels = 2,
  parameter int unsigned AxiBytes = 64,
  parameter int unsigned AxiOutstanding = 8,
  parameter int unsigned CmemBytes = 0,
  parameter int unsigned CmemAddrBits = 1,
  parameter int unsigned MemStages = 0,  // of VMEM
  localparam int unsigned WordBytes = 4 * N
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    flush_i,
  // bursts of the channels
  input  logic [DmaChannels-1:0]  burst_valid_i,
  input  burst_t                  burst_i [DmaChannels],
  output logic [DmaChannels-1:0]  burst_ready_o,
  // to the channels: of a burst to HBM, and of one to CMEM
  output logic [DmaChannels-1:0]  complete_o,
  output logic                    complete_last_o,
  output logic [DmaChannels-1:0]  cmem_complete_o,
  output logic                    cmem_complete_last_o,
  output logic [DmaChannels-1:0]  fault_valid_o,
  output fault_t                  fault_o,
  output logic [DmaChannels-1:0]  moved_o,
  output logic [DmaChannels-1:0]  lost_o,
  output logic                    busy_o,
  output logic [ByteBits-1:0]     hbm_bytes_o,  // of a burst to HBM that ended in this cycle
  // VMEM reads
  output logic                    vmem_req_o,
  output logic [VmemAddrBits-1:0] vmem_addr_o,
  input  logic                    vmem_gnt_i,
  input  logic [8*WordBytes-1:0]  vmem_data_i,
  input  logic                    vmem_valid_i,
  // AXI writes
  output logic                    awvalid_o,
  input  logic                    awready_i,
  output logic [FarAddrBits-1:0]  awaddr_o,
  output logic [7:0]              awlen_o,
  output logic                    wvalid_o,
  input  logic                    wready_i,
  output logic [8*AxiBytes-1:0]   wdata_o,
  output logic [AxiBytes-1:0]     wstrb_o,
  output logic                    wlast_o,
  input  logic                    bvalid_i,
  output logic                    bready_o,
  input  logic [1:0]              bresp_i,
  // CMEM writes
  output logic                    cmem_req_o,
  output logic [CmemAddrBits-1:0] cmem_addr_o,
  output logic [AxiBytes-1:0]     cmem_be_o,
  output logic [8*AxiBytes-1:0]   cmem_data_o,
  input  logic                    cmem_gnt_i
);
  localparam int unsigned OffBits = $clog2(AxiBytes);
  localparam int unsigned ChanBits = DmaChannels > 1 ? $clog2(DmaChannels) : 1;
  localparam int unsigned NumReplies = 2 * AxiOutstanding;
  localparam bit HasCmem = CmemBytes != 0;
  // The aligner's address matters for CMEM; on AXI only its offset in a beat does.
  localparam int unsigned AlignBits = CmemAddrBits > 12 ? CmemAddrBits : 12;

  // What the aligner needs of a burst.
  typedef struct packed {
    logic [ChanBits-1:0]  chan;
    logic                 last;
    logic                 cmem;
    logic [ByteBits-2:0]  last_byte;
    logic [OffBits-1:0]   src_off;
    logic [AlignBits-1:0] dst_addr;
  } open_t;

  // What goes with a word to its end.
  typedef struct packed {
    logic [ChanBits-1:0] chan;
    logic                last;   // burst of its command
    logic                cmem;
    logic [ByteBits-2:0] last_byte;
  } user_t;

  typedef struct packed {
    logic [ChanBits-1:0] chan;
    logic                last;
    fault_t              where;
  } reply_t;

  // ---- take bursts ------------------------------------------------------------------------------
  logic [DmaChannels-1:0] req, gnt;
  logic [ChanBits-1:0]    sel;
  burst_t                 pick;
  logic                   accept, can_accept, open_ready, fetch_ready, reply_ready, aw_free;
  logic [ByteBits-1:0]    last_beat;  // of the burst's last byte, in bytes from the first beat
  logic [FarAddrBits-1:0] beat_addr;
  open_t                  next, head;  // the next burst, and the one in the aligner
  logic                   next_valid, next_pop, head_valid;
  reply_t                 reply;
  logic                   reply_valid;
  logic [$clog2(AxiOutstanding)-1:0]   next_count;
  logic [$clog2(NumReplies+1)-1:0]     reply_count;

  for (genvar c = 0; c < DmaChannels; c++) begin : gen_req
    assign req[c] = burst_valid_i[c] && burst_i[c].store;
  end
  ttpu_rr_arb #(.NumReq(DmaChannels)) u_arb (
    .clk_i, .rst_ni, .req_i(req), .advance_i(can_accept), .gnt_o(gnt), .index_o(sel)
  );
  assign pick = burst_i[sel];
  assign aw_free = !awvalid_o || awready_i;
  assign can_accept = open_ready && fetch_ready && (pick.cmem || (aw_free && reply_ready));
  assign accept = req != '0 && can_accept;
  assign burst_ready_o = can_accept ? gnt : '0;
  assign last_beat = ByteBits'(pick.addr[OffBits-1:0]) + ByteBits'(pick.last_byte);
  assign beat_addr = {pick.addr[FarAddrBits-1:OffBits], {OffBits{1'b0}}};

  // One of those that wait for data is in the aligner.
  ttpu_fifo #(.Width($bits(open_t)), .Depth(AxiOutstanding - 1)) u_open (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .push_valid_i(accept), .push_ready_o(open_ready),
    .push_data_i({sel, pick.last, pick.cmem, pick.last_byte, pick.vaddr[OffBits-1:0],
                  pick.addr[AlignBits-1:0]}),
    .pop_valid_o(next_valid), .pop_ready_i(next_pop), .pop_data_o(next), .count_o(next_count)
  );
  ttpu_fifo #(.Width($bits(reply_t)), .Depth(NumReplies)) u_replies (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .push_valid_i(accept && !pick.cmem), .push_ready_o(reply_ready),
    .push_data_i({sel, pick.last, pick.pc, beat_addr}),
    .pop_valid_o(reply_valid), .pop_ready_i(bvalid_i), .pop_data_o(reply), .count_o(reply_count)
  );

  always_ff @(posedge clk_i) begin
    if (aw_free) awvalid_o <= accept && !pick.cmem;
    if (accept && !pick.cmem) begin
      awaddr_o <= beat_addr;
      awlen_o <= 8'(last_beat[ByteBits-1:OffBits]);
    end
    if (!rst_ni) awvalid_o <= 1'b0;
  end

  // ---- words from VMEM --------------------------------------------------------------------------
  logic                  src_valid, src_ready, fetch_busy;
  logic [8*AxiBytes-1:0] src_data;
  ttpu_dma_fetch #(
    .AddrBits(VmemAddrBits), .ReadBytes(WordBytes), .WordBytes(AxiBytes), .MemStages(MemStages)
  ) u_fetch (
    .clk_i, .rst_ni, .stop_i(flush_i),
    .seg_valid_i(accept), .seg_ready_o(fetch_ready),
    .seg_addr_i(pick.vaddr), .seg_last_byte_i(pick.last_byte),
    .rd_req_o(vmem_req_o), .rd_addr_o(vmem_addr_o), .rd_gnt_i(vmem_gnt_i), .rd_data_i(vmem_data_i),
    .rd_valid_i(vmem_valid_i),
    .word_valid_o(src_valid), .word_ready_i(src_ready), .word_data_o(src_data), .busy_o(fetch_busy)
  );

  // ---- align ------------------------------------------------------------------------------------
  logic                  dst_valid, dst_ready, dst_any, dst_last, step;
  logic [AlignBits-1:0]  dst_addr;
  logic [8*AxiBytes-1:0] dst_data;
  logic [AxiBytes-1:0]   dst_be;
  user_t                 user, dst_user;

  assign user = '{chan: head.chan, last: head.last, cmem: HasCmem && head.cmem,
                  last_byte: head.last_byte};
  ttpu_dma_align #(
    .Bytes(AxiBytes), .AddrBits(AlignBits), .WorkBits($bits(open_t)), .UserBits($bits(user_t))
  ) u_align (
    .clk_i, .rst_ni, .flush_i, .src_free_i(flush_i),
    .seg_valid_i(next_valid), .seg_ready_o(next_pop),
    .src_off_i(next.src_off), .dst_addr_i(next.dst_addr),
    .last_byte_i(next.last_byte), .work_i(next),
    .work_valid_o(head_valid), .work_o(head), .user_i(user),
    .src_valid_i(src_valid), .src_ready_o(src_ready), .src_data_i(src_data), .src_bad_i(1'b0),
    .dst_valid_o(dst_valid), .dst_ready_i(dst_ready), .dst_addr_o(dst_addr),
    .dst_data_o(dst_data), .dst_be_o(dst_be), .dst_any_o(dst_any), .dst_last_o(dst_last),
    .dst_user_o(dst_user), .step_o(step)
  );

  // ---- write ------------------------------------------------------------------------------------
  assign wvalid_o = dst_valid && !dst_user.cmem;
  assign wdata_o = dst_data;
  assign wstrb_o = dst_be;
  assign wlast_o = dst_last;
  if (CmemBytes > 0) begin : gen_cmem
    assign cmem_req_o = dst_valid && dst_user.cmem && dst_any;
    assign cmem_addr_o = dst_addr[CmemAddrBits-1:0];
    assign cmem_be_o = dst_be;
    assign cmem_data_o = dst_data;
    assign dst_ready = dst_user.cmem ? cmem_gnt_i || !dst_any : wready_i;
  end else begin : gen_no_cmem
    logic unused;
    assign cmem_req_o = 1'b0;
    assign cmem_addr_o = '0;
    assign cmem_be_o = '0;
    assign cmem_data_o = '0;
    assign dst_ready = wready_i;
    assign unused = cmem_gnt_i || dst_any;
  end
  assign bready_o = reply_valid;

  // ---- reports ----------------------------------------------------------------------------------
  logic sent;
  assign sent = dst_valid && dst_ready && dst_last;
  assign complete_last_o = reply.last;
  assign cmem_complete_last_o = dst_user.last;
  assign hbm_bytes_o = sent && !dst_user.cmem ? ByteBits'(dst_user.last_byte) + 1'b1 : '0;
  assign busy_o = fetch_busy;
  // The burst whose words are read, or the one before it.
  logic [ChanBits-1:0] read_chan;
  assign read_chan = head_valid ? head.chan : next.chan;
  for (genvar c = 0; c < DmaChannels; c++) begin : gen_report
    assign complete_o[c] = bvalid_i && reply_valid && reply.chan == ChanBits'(c);
    assign cmem_complete_o[c] = sent && dst_user.cmem && dst_user.chan == ChanBits'(c);
    assign moved_o[c] = step && head.chan == ChanBits'(c);
    assign lost_o[c] = vmem_req_o && !vmem_gnt_i && (head_valid || next_valid) &&
        read_chan == ChanBits'(c);
    always_ff @(posedge clk_i) begin
      fault_valid_o[c] <= rst_ni && complete_o[c] && bresp_i[1];
    end
  end
  always_ff @(posedge clk_i) begin
    if (bvalid_i && reply_valid) fault_o <= reply.where;
  end

  logic unused_bits;
  assign unused_bits = ^{pick.store, last_beat[OffBits-1:0], bresp_i[0], next_count, reply_count,
                         dst_addr, head};

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!bvalid_i || reply_valid)
      else $error("ttpu_dma_store: a response to nothing");
    end
  end
`endif
endmodule
