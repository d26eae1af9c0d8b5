// Types that cross block boundaries. Widths that depend on a configuration are not here: they
// are plain vectors sized by the parameters of the modules.
package ttpu_pkg;
  import ttpu_isa_pkg::*;
  import ttpu_reg_pkg::*;

  localparam int unsigned VmemAddrBits = 24;  // byte address in VMEM
  localparam int unsigned FarAddrBits = 64;   // byte address on AXI
  localparam int unsigned PcBits = 16;        // instruction index
  localparam int unsigned NumFlags = 32;      // sync flags
  // Cycles from grant to data: of the accumulators, and of VMEM with MemStages = 0.
  localparam int unsigned VmemReadLatency = 2;

  // MemStages of VMEM and of those that read it: 1 where wires are long (FPGAs), which is where an
  // fp32 addition takes four cycles.
  function automatic int unsigned mem_stages(input int unsigned fp_stages);
    return (fp_stages == 1) ? 0 : 1;
  endfunction

  // FlagStages of control, likewise.
  function automatic int unsigned flag_stages(input int unsigned fp_stages);
    return (fp_stages == 1) ? 1 : 3;
  endfunction

  // A command as a unit receives it: wait and signal are handled by its queue in control.
  typedef struct packed {
    logic [7:0]          opcode;
    logic [BodyBits-1:0] body;  // cast to the struct of the opcode, e.g. mxu_matmul_t'(body)
    logic [31:0]         a;     // value of register ra when it was issued
    logic [31:0]         b;
    logic [31:0]         c;
    logic [PcBits-1:0]   pc;
  } cmd_t;

  // What a unit reports in each cycle.
  typedef struct packed {
    logic                   done;      // one accepted command is complete; in order of acceptance
    logic                   error;     // pulse: the fields below say why; the command never reports done
    error_e                 cause;
    logic [PcBits-1:0]      pc;
    logic [FarAddrBits-1:0] addr;
    activity_e              activity;  // ActIdle, ActBusy, ActStallMem or ActStallData
    logic                   quiet;     // no command accepted and not done, nothing on a bus
  } status_t;

  // Command start and end of one unit, for the trace port.
  typedef struct packed {
    logic              start;
    logic [7:0]        start_opcode;
    logic [PcBits-1:0] start_pc;
    logic              stop;
    logic [PcBits-1:0] stop_pc;
  } trace_t;
endpackage
