// Types inside control.
package ttpu_control_pkg;
  import ttpu_pkg::*;

  localparam int unsigned NumQueues = 5;  // DMA0, DMA1, MXW, MXS, VPU: queue q serves unit q + 1
  localparam int unsigned NumWaiters = NumQueues + 1;  // scalar core, then the queues

  // What is worked out of an instruction as it is written into IMEM: its decoding takes long.
  typedef struct packed {
    logic       bad;      // it must not be executed: illegal, beyond, or no such channel or queue
    logic       illegal;  // no such opcode
    logic       beyond;   // a bit of the body is set that no field uses
    logic       is_sync;
    logic       waits;    // the scalar core waits with it for a flag
    logic [2:0] unit;     // whose queue takes it; 0: none
    logic [6:0] used;     // bits of the body that fields use
  } decoded_t;

  // A command in a queue.
  typedef struct packed {
    cmd_t       cmd;
    logic       waits;        // wait_value is not 0
    logic [7:0] wait_value;
    logic [4:0] wait_flag;
    logic       signal;
    logic [4:0] signal_flag;
  } entry_t;

  // A command that its unit has taken.
  typedef struct packed {
    logic [PcBits-1:0] pc;
    logic              signal;
    logic [4:0]        signal_flag;
  } inflight_t;

  // An error as it is reported.
  typedef struct packed {
    logic                          valid;
    ttpu_isa_pkg::error_e          cause;
    ttpu_isa_pkg::unit_e           unit;
    logic [PcBits-1:0]             pc;
    logic [FarAddrBits-1:0]        addr;
  } fault_t;
endpackage
