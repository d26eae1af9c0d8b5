// What the router decides about a packet when its head comes in, and what the host reads of it.
package ttpu_router_pkg;
  // Output port of a packet whose leg names none that exists.
  localparam logic [2:0] NoPort = 3'd7;
  localparam int unsigned MaxAge = 63;

  // cnt_sel_i = {kind, port, channel}. Counters have 32 bits, start at 0 with reset and wrap.
  localparam logic [1:0] CntSent = 2'd0;  // flits sent by an output channel
  localparam logic [1:0] CntWait = 2'd1;  // cycles the first flit in line had no credit or channel
  localparam logic [1:0] CntLost = 2'd2;  // cycles it was ready to go and others went
  localparam logic [1:0] CntDrop = 2'd3;  // port 0: channel 0 packets dropped, channel 1 packets cut

  // Why the flit at the head of a FIFO is there, in state_o.
  localparam logic [2:0] WaitNothing = 3'd0;  // no flit
  localparam logic [2:0] WaitCredit = 3'd1;
  localparam logic [2:0] WaitChannel = 3'd2;  // another packet has the output channel
  localparam logic [2:0] WaitTurn = 3'd3;  // can go as soon as it is chosen
  localparam logic [2:0] WaitDrop = 3'd4;  // is taken and dropped in this cycle

  typedef struct packed {
    logic copy;  // multicast: to the local port as well
    logic [2:0] out;  // output port or NoPort
    logic [2:0] vc;  // channel there
    logic [ttpu_ici_pkg::HeaderRouteW-1:0] route;  // as it goes on
  } way_t;

  // What is kept beside a flit in the FIFO, ready for the arbiter.
  typedef struct packed {
    logic head;
    logic tail;
    logic copy;
    logic [2:0] out;
    logic [2:0] vc;
    logic [9:0] birth;  // tick at which the packet had age 0
  } ctl_t;

  // Where a packet goes that came in by `port` on channel `vc`.
  function automatic way_t way_of(
      input logic [ttpu_ici_pkg::HeaderRouteW-1:0] route, input logic mcast,
      input logic [ttpu_ici_pkg::HeaderLengthW-1:0] length, input logic [2:0] vc,
      input logic [2:0] port, input int unsigned local_port, input int unsigned depth,
      input int unsigned vc_bits, input logic [7:0] dateline);
    ttpu_ici_pkg::leg_t leg;
    leg = ttpu_ici_pkg::leg_t'(route[ttpu_ici_pkg::LegW-1:0]);
    way_of.copy = 1'b0;
    way_of.out = 3'(local_port);
    way_of.vc = vc;
    way_of.route = route;
    if (leg.hops != 0) begin
      way_of.out = NoPort;
      if (32'(leg.dir) < local_port) begin
        way_of.out = leg.dir;
        leg.vclass = leg.vclass | dateline[leg.dir];
        way_of.vc[2'(vc_bits - 1)] = leg.vclass;
        leg.hops = leg.hops - 1'b1;
        way_of.route = leg.hops == 0 ? route >> ttpu_ici_pkg::LegW :
            {route[ttpu_ici_pkg::HeaderRouteW-1:ttpu_ici_pkg::LegW], leg};
        // Came in along this leg, and no later leg has hops.
        way_of.copy = mcast && port == (leg.dir ^ 3'd1) &&
            {route[14:11], route[22:19], route[30:27], route[38:35]} == 0;
        // Copied packets have to fit into the FIFO.
        if (way_of.copy && 32'(length) >= depth) begin
          way_of.copy = 1'b0;
          way_of.out = NoPort;
          way_of.route = route;
        end
      end
    end
  endfunction

  function automatic ctl_t ctl_of(input logic head, input logic tail, input way_t way,
                                  input logic [ttpu_ici_pkg::HeaderAgeW-1:0] age,
                                  input logic [9:0] tick);
    ctl_of = '{head: head, tail: tail, copy: way.copy, out: way.out, vc: way.vc,
               birth: tick - 10'(age)};
  endfunction

  function automatic logic [2:0] wait_of(input logic pending, input logic dropping, input logic ready,
                                         input logic others);
    if (!pending) wait_of = WaitNothing;
    else if (dropping) wait_of = WaitDrop;
    else if (!ready) wait_of = WaitCredit;
    else if (others) wait_of = WaitChannel;
    else wait_of = WaitTurn;
  endfunction
endpackage
