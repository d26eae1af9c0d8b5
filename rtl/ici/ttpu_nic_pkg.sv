// Errors that the network interface reports and the numbers of its counters.
package ttpu_nic_pkg;
  typedef enum logic [2:0] {
    NicOk = 3'd0,
    NicNoRoute = 3'd1,    // no route to dest: the packet was dropped
    NicNoHead = 3'd2,     // data outside a packet: dropped up to the next tail or head
    NicBadHead = 3'd3,    // tail and length contradict each other in a head flit: packet dropped
    NicEarlyHead = 3'd4,  // a head inside a packet: that packet was closed with err
    NicEarlyTail = 3'd5,  // tail before `length` data flits: sent with err
    NicLateTail = 3'd6,   // no tail on data flit `length`: closed with err, the rest dropped
    NicLongMcast = 3'd7   // a multicast of Depth data flits or more: dropped
  } nic_error_e;

  // What cnt_sel_i selects. Counters have 32 bits, start at 0 with reset and wrap.
  localparam int unsigned NicTxPackets = 0;      // heads given to the router
  localparam int unsigned NicTxFlits = 1;        // flits given to the router
  localparam int unsigned NicTxNoRoute = 2;      // packets dropped: no route
  localparam int unsigned NicTxBad = 3;          // errors of the chip's framing, causes 2 to 7
  localparam int unsigned NicTxCut = 4;          // tails with err given to the router
  localparam int unsigned NicTxStallQueue = 5;   // cycles: the chip's flit waits, its queue is full
  localparam int unsigned NicTxStallCredit = 6;  // cycles: flits queued, no credit for any of them
  localparam int unsigned NicRxPackets = 7;      // tails given to the chip
  localparam int unsigned NicRxFlits = 8;        // flits given to the chip
  localparam int unsigned NicRxCut = 9;          // tails with err given to the chip
  localparam int unsigned NicRxStall = 10;       // cycles: a flit waits for rx_ready_i
  localparam int unsigned NicState = 16;         // + v: state of virtual channel v, see nic.md
  localparam int unsigned NicSelW = 5;
endpackage
