// Transmit side of the network interface: packets of the chip into one queue a virtual channel.
// In: tx_valid_i, tx_ready_o, tx_flit_i: head, data, ..., tail; a flit is taken when both are high.
// ready comes from registers only. Of a head flit the chip sets dest, kind, mcast, channel, length,
// flag, address; src, route, age, reserved and the vc field of every flit are overwritten. A tail
// with err closes the packet early (the chip gives it up). One flit a cycle; a flit taken at cycle
// t is on out_flit_o at t + 7 if its queue is empty and a credit is there.
// Out: one flit a cycle, of a virtual channel of which a credit is held. Round robin among virtual
// channels with flit and credit; the one that sends keeps its turn to the tail, or until it has no
// flit or credit. So a packet without credit holds up only packets of its own virtual channel, and
// the chip only when QueueDepth flits of that channel wait.
// Bad input never hangs and never reaches another packet; each error is a pulse with cause (see
// nic_error_e) and dest. A packet of which nothing was sent is dropped whole, another is closed
// with err.
module ttpu_nic_tx
  import ttpu_ici_pkg::*;
  import ttpu_nic_pkg::*;
#(
  parameter int unsigned Vcs = 2,          // virtual channels: 2, 4 or 8
  parameter int unsigned Depth = 8,        // credits of each at the router
  parameter int unsigned QueueDepth = 8,   // flits of each that wait here, a power of two, >= 8
  parameter int unsigned DataW = 128,
  parameter int unsigned TableNodes = 64,
  parameter int unsigned Native = 1,
  localparam int unsigned FlitW = DataW + FlitExtraW
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  // configuration, table: see ttpu_nic_route
  input  logic                    cfg_native_i,
  input  logic [HeaderDestW-1:0]  cfg_id_i,
  input  logic [14:0]             cfg_coord_i,
  input  logic [14:0]             cfg_size_i,
  input  logic                    tab_we_i,
  output logic                    tab_ready_o,
  input  logic [HeaderDestW-1:0]  tab_dest_i,
  input  logic                    tab_valid_i,
  input  logic [HeaderRouteW-1:0] tab_route_i,
  // from the chip
  input  logic                    tx_valid_i,
  output logic                    tx_ready_o,
  input  logic [FlitW-1:0]        tx_flit_i,
  // to the router
  output logic                    out_valid_o,
  output logic [FlitW-1:0]        out_flit_o,
  input  logic [Vcs-1:0]          out_credit_i,
  // errors, a pulse each
  output logic                    error_valid_o,
  output nic_error_e              error_cause_o,
  output logic [HeaderDestW-1:0]  error_dest_o,
  // events of this cycle, for the counters
  output logic                    stall_queue_o,
  output logic                    stall_credit_o,
  // state of each virtual channel, for the host
  output logic [7:0]              queued_o [Vcs],
  output logic [7:0]              credit_o [Vcs]
);
  localparam int unsigned VcBits = $clog2(Vcs);
  localparam int unsigned QBits = $clog2(QueueDepth);
  localparam int unsigned Head = DataW + FlitHead;
  localparam int unsigned Tail = DataW + FlitTail;
  localparam int unsigned Err = DataW + FlitErr;
  localparam int unsigned Stages = 4;  // of ttpu_nic_route

  // Three bits of the hash; the low VcBits count.
  function automatic logic [2:0] local_vc(logic [HeaderDestW-1:0] src,
                                          logic [HeaderDestW-1:0] dest,
                                          logic [HeaderChannelW-1:0] channel);
    logic [HeaderDestW:0] mix;
    mix = {1'b0, src} ^ {dest, 1'b0} ^ (HeaderDestW + 1)'(channel);
    return mix[2:0] ^ mix[5:3] ^ mix[8:6] ^ mix[11:9] ^ mix[14:12];
  endfunction

  // ---- first register: the flit at hand --------------------------------------------------------
  logic                      at_valid_q;
  logic [FlitW-1:0]          at_flit_q;
  logic                      at_go;  // it leaves this register
  logic                      at_head, at_tail, at_err, at_mcast;
  logic [HeaderDestW-1:0]    at_dest;
  logic [HeaderLengthW-1:0]  at_length;
  logic [HeaderChannelW-1:0] at_channel;

  assign at_mcast = at_flit_q[HeaderMcastLsb];
  assign at_dest = at_flit_q[HeaderDestLsb+:HeaderDestW];
  assign at_length = at_flit_q[HeaderLengthLsb+:HeaderLengthW];
  assign at_channel = at_flit_q[HeaderChannelLsb+:HeaderChannelW];
  assign at_head = at_flit_q[Head];
  assign at_tail = at_flit_q[Tail];
  assign at_err = at_flit_q[Err];
  assign tx_ready_o = !at_valid_q || at_go;

  // ---- framing: what the flit at hand becomes --------------------------------------------------
  typedef struct packed {
    logic              flit;
    logic              head;
    logic              tail;
    logic              err;
    logic [VcBits-1:0] vc;
    nic_error_e        cause;
  } slot_t;

  logic              open_q;     // inside a packet
  logic              discard_q;  // dropping up to a tail or head
  logic [7:0]        left_q;     // data flits still to come
  logic [VcBits-1:0] vc_q;       // of the open packet
  logic [VcBits-1:0] head_vc;
  logic              bad_head, long_mcast, last, close, room;
  slot_t             slot;
  logic              slot_valid;  // a flit or an error goes on
  logic [Vcs-1:0][QBits:0] used_q;  // flits behind the framing that have not left: up to QueueDepth

  assign head_vc = VcBits'(local_vc(cfg_id_i, at_dest, at_channel));
  assign bad_head = at_tail != (at_length == '0);
  assign long_mcast = at_mcast && 32'(at_length) >= Depth;  // does not fit into a router's buffer
  assign last = left_q == 8'd1;
  assign close = open_q && at_head;  // in place of the missing tail; the head waits a cycle

  always_comb begin
    slot = '0;
    slot.vc = open_q ? vc_q : head_vc;
    slot.cause = NicOk;
    if (close) begin
      slot.flit = 1'b1;
      slot.tail = 1'b1;
      slot.err = 1'b1;
      slot.cause = NicEarlyHead;
    end else if (at_head) begin
      slot.flit = !bad_head && !long_mcast;
      slot.head = 1'b1;
      slot.tail = at_tail;
      if (long_mcast) slot.cause = NicLongMcast;
      if (bad_head) slot.cause = NicBadHead;
    end else if (open_q) begin
      slot.flit = 1'b1;
      slot.tail = at_tail || last;
      slot.err = slot.tail && (at_err || at_tail != last);
      if (at_tail && !last && !at_err) slot.cause = NicEarlyTail;
      if (!at_tail && last) slot.cause = NicLateTail;
    end else if (!discard_q) begin
      slot.cause = NicNoHead;
    end
    room = !slot.flit || 32'(used_q[slot.vc]) < QueueDepth;
    slot_valid = at_valid_q && room && (slot.flit || slot.cause != NicOk);
  end
  assign at_go = room && !close;
  assign stall_queue_o = at_valid_q && !room;

  always_ff @(posedge clk_i) begin
    if (at_valid_q && room) begin
      open_q <= slot.flit && !slot.tail;
      if (at_head && !close) begin
        left_q <= at_length;
        vc_q <= head_vc;
        discard_q <= !slot.flit && !at_tail;
      end else if (!close) begin
        left_q <= left_q - 8'd1;
        // Behind a late tail, or outside a packet: to the next tail.
        discard_q <= !at_tail && (!open_q || last);
      end
    end
    if (tx_ready_o) begin
      at_valid_q <= tx_valid_i;
      if (tx_valid_i) at_flit_q <= tx_flit_i;
    end
    if (!rst_ni) begin
      at_valid_q <= 1'b0;
      open_q <= 1'b0;
      discard_q <= 1'b0;
    end
  end

  // ---- the route's pipeline; payloads wait beside it in a ring ---------------------------------
  slot_t                   stage_q [Stages];
  slot_t                   out_slot;  // beside ok and route
  logic [Stages-1:0]       busy_q;
  logic [DataW-1:0]        wait_q [Stages];
  logic [1:0]              wait_wr_q, wait_rd_q;
  logic                    route_ok;
  logic [HeaderRouteW-1:0] route;

  ttpu_nic_route #(.TableNodes(TableNodes), .Native(Native)) u_route (
    .clk_i, .rst_ni,
    .cfg_native_i, .cfg_id_i, .cfg_coord_i, .cfg_size_i,
    .tab_we_i, .tab_ready_o, .tab_dest_i, .tab_valid_i, .tab_route_i,
    .valid_i(slot_valid && slot.head), .dest_i(at_dest),
    .ok_o(route_ok), .route_o(route)
  );

  assign out_slot = stage_q[Stages-1];

  always_ff @(posedge clk_i) begin
    busy_q <= rst_ni ? {busy_q[Stages-2:0], slot_valid} : '0;
    if (slot_valid || busy_q != '0) begin
      for (int unsigned s = 1; s < Stages; s++) stage_q[s] <= stage_q[s-1];
      stage_q[0] <= slot;
    end
    if (slot_valid) begin
      wait_q[wait_wr_q] <= at_flit_q[DataW-1:0];
      wait_wr_q <= wait_wr_q + 1'b1;
    end
    if (busy_q[Stages-1]) wait_rd_q <= wait_rd_q + 1'b1;
    if (!rst_ni) begin
      wait_wr_q <= '0;
      wait_rd_q <= '0;
    end
  end

  // ---- into the queue of the virtual channel, or dropped ----------------------------------------
  logic                   drop_q;  // the packet that came last has no route
  logic                   no_route, enqueue, dropped;
  header_t                header;
  logic [FlitW-1:0]       in_flit;
  logic [HeaderDestW-1:0] dest_q;

  assign no_route = out_slot.flit && out_slot.head && !route_ok;
  assign dropped = busy_q[Stages-1] && out_slot.flit && (out_slot.head ? !route_ok : drop_q);
  assign enqueue = busy_q[Stages-1] && out_slot.flit && !dropped;

  always_comb begin
    header = wait_q[wait_rd_q][127:0];
    header.src = cfg_id_i;
    header.route = route;
    header.age = '0;
    header.reserved = '0;
    in_flit = '0;
    in_flit[DataW-1:0] = wait_q[wait_rd_q];
    if (out_slot.head) in_flit[127:0] = header;
    in_flit[DataW+FlitVc+:VcW] = VcW'(out_slot.vc);
    in_flit[Head] = out_slot.head;
    in_flit[Tail] = out_slot.tail;
    in_flit[Err] = out_slot.err;
  end

  always_ff @(posedge clk_i) begin
    error_valid_o <= rst_ni && busy_q[Stages-1] && (out_slot.cause != NicOk || no_route);
    if (busy_q[Stages-1]) begin
      error_cause_o <= no_route ? NicNoRoute : out_slot.cause;
      error_dest_o <= out_slot.head ? header.dest : dest_q;
      if (out_slot.head) dest_q <= header.dest;
      if (out_slot.flit) drop_q <= dropped;
    end
    if (!rst_ni) drop_q <= 1'b0;
  end

  // ---- queues and the choice among them ---------------------------------------------------------
  logic [FlitW-1:0]  queue_q [Vcs*QueueDepth];
  logic [Vcs-1:0][QBits-1:0] wr_q, rd_q;
  logic [Vcs-1:0][QBits:0]   count_q;
  logic [Vcs-1:0][7:0]       credit_q;
  logic [Vcs-1:0]    have, ready, request, grant;
  logic [VcBits-1:0] pick, turn;
  logic              send, held_q;

  always_comb begin
    have = '0;
    ready = '0;
    for (int unsigned v = 0; v < Vcs; v++) begin
      have[v] = count_q[v] != '0;
      ready[v] = count_q[v] != '0 && credit_q[v] != '0;
    end
  end
  assign turn = out_flit_o[DataW+FlitVc+:VcBits];
  assign request = held_q && !out_flit_o[Tail] && ready[turn] ? Vcs'(1) << turn : ready;
  assign send = ready != '0;
  assign stall_credit_o = have != '0 && !send;

  ttpu_rr_arb #(.NumReq(Vcs)) u_arb (
    .clk_i, .rst_ni, .req_i(request), .advance_i(1'b1), .gnt_o(grant), .index_o(pick)
  );

  always_ff @(posedge clk_i) begin
    out_valid_o <= rst_ni && send;
    if (send) begin
      out_flit_o <= queue_q[{pick, rd_q[pick]}];
      held_q <= 1'b1;  // from now on out_flit_o tells whose turn it is
    end
    if (enqueue) queue_q[{out_slot.vc, wr_q[out_slot.vc]}] <= in_flit;
    if (!rst_ni) held_q <= 1'b0;
  end

  // Pointers and counts.
  logic [Vcs-1:0] sends, enqueues, drops, takes;  // by virtual channel
  assign sends = send ? grant : '0;
  assign enqueues = enqueue ? Vcs'(1) << out_slot.vc : '0;
  assign drops = dropped ? Vcs'(1) << out_slot.vc : '0;
  assign takes = slot_valid && slot.flit ? Vcs'(1) << slot.vc : '0;

  always_ff @(posedge clk_i) begin
    if ((sends | enqueues | drops | takes | out_credit_i) != '0) begin
      for (int unsigned v = 0; v < Vcs; v++) begin
        rd_q[v] <= rd_q[v] + QBits'(sends[v]);
        wr_q[v] <= wr_q[v] + QBits'(enqueues[v]);
        count_q[v] <= count_q[v] + (QBits + 1)'(enqueues[v]) - (QBits + 1)'(sends[v]);
        used_q[v] <= used_q[v] + (QBits + 1)'(takes[v]) - (QBits + 1)'(drops[v])
                     - (QBits + 1)'(sends[v]);
        credit_q[v] <= credit_q[v] + 8'(out_credit_i[v]) - 8'(sends[v]);
      end
    end
    if (!rst_ni) begin
      for (int unsigned v = 0; v < Vcs; v++) begin
        rd_q[v] <= '0;
        wr_q[v] <= '0;
        count_q[v] <= '0;
        used_q[v] <= '0;
        credit_q[v] <= 8'(Depth);
      end
    end
  end

  for (genvar v = 0; v < Vcs; v++) begin : gen_state
    assign queued_o[v] = 8'(used_q[v]);
    assign credit_o[v] = credit_q[v];
  end

`ifndef SYNTHESIS
  initial begin
    assert (Vcs == 2 || Vcs == 4 || Vcs == 8) else $fatal(1, "ttpu_nic_tx: Vcs must be 2, 4 or 8");
    assert (QueueDepth >= 8 && QueueDepth <= 128 && QueueDepth == 1 << QBits)
    else $fatal(1, "ttpu_nic_tx: QueueDepth must be a power of two, 8 to 128");
    assert (DataW >= 128) else $fatal(1, "ttpu_nic_tx: DataW must be 128 or more");
  end
  always_ff @(posedge clk_i) if (rst_ni) begin
    for (int unsigned v = 0; v < Vcs; v++) begin
      assert (32'(credit_q[v]) <= Depth)
      else $error("ttpu_nic_tx: more credits than slots, vc %0d", v);
      assert (32'(used_q[v]) <= QueueDepth && count_q[v] <= used_q[v])
      else $error("ttpu_nic_tx: queue of vc %0d overflows", v);
    end
    assert (send == (grant != '0)) else $error("ttpu_nic_tx: sends without a grant");
  end
`endif
endmodule
