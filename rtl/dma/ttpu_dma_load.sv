// Read path: bursts of the channels -> AXI reads or CMEM reads -> aligner -> VMEM writes. Bursts
// are taken round robin, one a cycle while less than AxiOutstanding are open; ARVALID stands in the
// next cycle. One beat a cycle; a beat taken in cycle t is a VMEM write from t+1. RREADY does not
// depend on the VMEM's grant. A beat with an error is not written and is reported (fault_*_o) one
// cycle after it was taken; all other beats are. flush_i: beats are taken and no longer written.
// MemStages: 0 = the end of a burst is told in the cycle of its last write's grant; 1 (for FPGAs) =
// a cycle later.
module ttpu_dma_load
  import ttpu_pkg::*;
  import ttpu_dma_pkg::*;
#(
  parameter int unsigned N = 16,
  parameter int unsigned DmaChannels = 2,
  parameter int unsigned AxiBytes = 64,
  parameter int unsigned AxiOutstanding = 8,
  parameter int unsigned CmemBytes = 0,
  parameter int unsigned CmemAddrBits = 1,
  parameter int unsigned MemStages = 0,
  localparam int unsigned WordBytes = 4 * N
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    flush_i,
  // bursts of the channels
  input  logic [DmaChannels-1:0]  burst_valid_i,
  input  burst_t                  burst_i [DmaChannels],
  output logic [DmaChannels-1:0]  burst_ready_o,
  // to the channels
  output logic [DmaChannels-1:0]  complete_o,
  output logic                    complete_last_o,
  output logic [DmaChannels-1:0]  fault_valid_o,
  output fault_t                  fault_o,
  output logic [DmaChannels-1:0]  moved_o,
  output logic [DmaChannels-1:0]  lost_o,
  output logic                    busy_o,
  output logic [ByteBits-1:0]     hbm_bytes_o,  // of a burst from HBM that ended in this cycle
  // AXI reads
  output logic                    arvalid_o,
  input  logic                    arready_i,
  output logic [FarAddrBits-1:0]  araddr_o,
  output logic [7:0]              arlen_o,
  input  logic                    rvalid_i,
  output logic                    rready_o,
  input  logic [8*AxiBytes-1:0]   rdata_i,
  input  logic [1:0]              rresp_i,
  // CMEM reads
  output logic                    cmem_req_o,
  output logic [CmemAddrBits-1:0] cmem_addr_o,
  input  logic                    cmem_gnt_i,
  input  logic [8*AxiBytes-1:0]   cmem_data_i,
  input  logic                    cmem_valid_i,
  // VMEM writes
  output logic                    vmem_req_o,
  output logic [VmemAddrBits-1:0] vmem_addr_o,
  output logic [WordBytes-1:0]    vmem_be_o,
  output logic [8*WordBytes-1:0]  vmem_data_o,
  input  logic                    vmem_gnt_i
);
  localparam int unsigned OffBits = $clog2(AxiBytes);
  localparam int unsigned Slices = WordBytes / AxiBytes;  // beats in a VMEM word
  localparam int unsigned SliceBits = Slices > 1 ? $clog2(Slices) : 1;
  localparam int unsigned ChanBits = DmaChannels > 1 ? $clog2(DmaChannels) : 1;

  typedef struct packed {
    logic [ChanBits-1:0] chan;
    burst_t              burst;
  } open_t;

  // What goes with a word to its end.
  typedef struct packed {
    logic [ChanBits-1:0] chan;
    logic                last;   // burst of its command
    logic                hbm;
    logic [ByteBits-2:0] last_byte;
  } user_t;

  // ---- take bursts ------------------------------------------------------------------------------
  logic [DmaChannels-1:0] req, gnt;
  logic [ChanBits-1:0]    sel;
  burst_t                 pick;
  logic                   accept, can_accept, open_ready, fetch_ready, ar_free;
  logic [ByteBits-1:0]    last_beat;  // of the burst's last byte, in bytes from the first beat
  open_t                  next, head;  // the next burst, and the one in the aligner
  logic                   next_valid, next_pop, head_valid;
  logic [$clog2(AxiOutstanding)-1:0] next_count;

  for (genvar c = 0; c < DmaChannels; c++) begin : gen_req
    assign req[c] = burst_valid_i[c] && !burst_i[c].store;
  end
  ttpu_rr_arb #(.NumReq(DmaChannels)) u_arb (
    .clk_i, .rst_ni, .req_i(req), .advance_i(can_accept), .gnt_o(gnt), .index_o(sel)
  );
  assign pick = burst_i[sel];
  assign ar_free = !arvalid_o || arready_i;
  assign can_accept = open_ready && (pick.cmem ? fetch_ready : ar_free);
  assign accept = req != '0 && can_accept;
  assign burst_ready_o = can_accept ? gnt : '0;
  assign last_beat = ByteBits'(pick.addr[OffBits-1:0]) + ByteBits'(pick.last_byte);

  // One of those open is in the aligner.
  ttpu_fifo #(.Width($bits(open_t)), .Depth(AxiOutstanding - 1)) u_open (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .push_valid_i(accept), .push_ready_o(open_ready), .push_data_i({sel, pick}),
    .pop_valid_o(next_valid), .pop_ready_i(next_pop), .pop_data_o(next), .count_o(next_count)
  );

  always_ff @(posedge clk_i) begin
    if (ar_free) arvalid_o <= accept && !pick.cmem;
    if (accept && !pick.cmem) begin
      araddr_o <= {pick.addr[FarAddrBits-1:OffBits], {OffBits{1'b0}}};
      arlen_o <= 8'(last_beat[ByteBits-1:OffBits]);
    end
    if (!rst_ni) arvalid_o <= 1'b0;
  end

  logic head_cmem;
  assign head_cmem = CmemBytes != 0 && head.burst.cmem;

  // ---- words from CMEM --------------------------------------------------------------------------
  logic                  cm_valid, cm_pop, cm_busy;
  logic [8*AxiBytes-1:0] cm_data;
  if (CmemBytes > 0) begin : gen_cmem
    ttpu_dma_fetch #(.AddrBits(CmemAddrBits), .ReadBytes(AxiBytes), .WordBytes(AxiBytes)) u_fetch (
      .clk_i, .rst_ni, .stop_i(flush_i),
      .seg_valid_i(accept && pick.cmem), .seg_ready_o(fetch_ready),
      .seg_addr_i(pick.addr[CmemAddrBits-1:0]), .seg_last_byte_i(pick.last_byte),
      .rd_req_o(cmem_req_o), .rd_addr_o(cmem_addr_o), .rd_gnt_i(cmem_gnt_i),
      .rd_data_i(cmem_data_i), .rd_valid_i(cmem_valid_i),
      .word_valid_o(cm_valid), .word_ready_i(cm_pop), .word_data_o(cm_data), .busy_o(cm_busy)
    );
  end else begin : gen_no_cmem
    logic unused;
    assign fetch_ready = 1'b1;  // no burst to CMEM ever comes
    assign cm_valid = 1'b0;
    assign cm_data = '0;
    assign cm_busy = 1'b0;
    assign cmem_req_o = 1'b0;
    assign cmem_addr_o = '0;
    assign unused = cmem_gnt_i || cmem_valid_i || cm_pop || ^cmem_data_i;
  end

  // ---- align ------------------------------------------------------------------------------------
  logic                  src_ready, dst_valid, dst_ready, dst_last, dst_write, step, bad;
  logic [8*AxiBytes-1:0] dst_data;
  logic [AxiBytes-1:0]   dst_be;
  user_t                 user, dst_user;

  assign user = '{chan: head.chan, last: head.burst.last, hbm: !head_cmem,
                  last_byte: head.burst.last_byte};
  assign bad = rresp_i[1] && !head_cmem;
  ttpu_dma_align #(
    .Bytes(AxiBytes), .AddrBits(VmemAddrBits), .WorkBits($bits(open_t)), .UserBits($bits(user_t))
  ) u_align (
    .clk_i, .rst_ni, .flush_i, .src_free_i(flush_i && head_cmem),
    .seg_valid_i(next_valid), .seg_ready_o(next_pop),
    .src_off_i(next.burst.addr[OffBits-1:0]), .dst_addr_i(next.burst.vaddr),
    .last_byte_i(next.burst.last_byte), .work_i(next),
    .work_valid_o(head_valid), .work_o(head), .user_i(user),
    .src_valid_i(head_cmem ? cm_valid : rvalid_i), .src_ready_o(src_ready),
    .src_data_i(head_cmem ? cm_data : rdata_i), .src_bad_i(bad),
    .dst_valid_o(dst_valid), .dst_ready_i(dst_ready), .dst_addr_o(vmem_addr_o),
    .dst_data_o(dst_data), .dst_be_o(dst_be), .dst_any_o(dst_write), .dst_last_o(dst_last),
    .dst_user_o(dst_user), .step_o(step)
  );
  assign rready_o = src_ready && !head_cmem;
  assign cm_pop = src_ready && head_cmem;

  // ---- write ------------------------------------------------------------------------------------
  // A word without a byte to write (after an error, or in a flush) leaves without an access.
  assign vmem_req_o = dst_valid && dst_write;
  assign dst_ready = vmem_gnt_i || !dst_write;
  assign vmem_data_o = {Slices{dst_data}};
  if (Slices > 1) begin : gen_slices
    logic [SliceBits-1:0] slice;
    assign slice = vmem_addr_o[OffBits+:SliceBits];
    always_comb begin
      vmem_be_o = '0;
      vmem_be_o[slice*AxiBytes+:AxiBytes] = dst_be;
    end
  end else begin : gen_whole
    assign vmem_be_o = dst_be;
  end

  // ---- reports ----------------------------------------------------------------------------------
  logic                   done;
  logic [DmaChannels-1:0] complete;
  logic [ByteBits-1:0]    hbm_bytes;
  assign done = dst_valid && dst_ready && dst_last;
  assign hbm_bytes = done && dst_user.hbm ? ByteBits'(dst_user.last_byte) + 1'b1 : '0;
  if (MemStages == 0) begin : gen_direct
    assign complete_o = complete;
    assign complete_last_o = dst_user.last;
    assign hbm_bytes_o = hbm_bytes;
  end else begin : gen_registers
    always_ff @(posedge clk_i) begin
      complete_o <= rst_ni ? complete : '0;
      complete_last_o <= dst_user.last;
      hbm_bytes_o <= rst_ni ? hbm_bytes : '0;
    end
  end
  assign busy_o = cm_busy;
  for (genvar c = 0; c < DmaChannels; c++) begin : gen_report
    assign complete[c] = done && dst_user.chan == ChanBits'(c);
    assign moved_o[c] = step && head.chan == ChanBits'(c);
    assign lost_o[c] = vmem_req_o && !vmem_gnt_i && dst_user.chan == ChanBits'(c);
    always_ff @(posedge clk_i) begin
      fault_valid_o[c] <= rst_ni && rvalid_i && rready_o && bad && head.chan == ChanBits'(c);
    end
  end
  always_ff @(posedge clk_i) begin
    if (rvalid_i && rready_o && bad) begin
      fault_o.pc <= head.burst.pc;
      fault_o.addr <= {head.burst.addr[FarAddrBits-1:OffBits], {OffBits{1'b0}}};
    end
  end

  logic unused_bits;
  assign unused_bits = ^{last_beat[OffBits-1:0], rresp_i[0]};

`ifndef SYNTHESIS
  initial begin
    assert (WordBytes % AxiBytes == 0)
    else $fatal(1, "AxiBytes must divide the VMEM word of 4N bytes");
    assert (AxiOutstanding >= 3) else $fatal(1, "AxiOutstanding must be 3 or more");
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!rvalid_i || head_valid || next_count != '0)
      else $error("ttpu_dma_load: a beat that nobody asked for");
    end
  end
`endif
endmodule
