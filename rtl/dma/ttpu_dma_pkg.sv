// Types inside the DMA.
package ttpu_dma_pkg;
  import ttpu_isa_pkg::*;
  import ttpu_pkg::*;

  localparam int unsigned BurstBeats = 64;  // at most in a burst
  localparam int unsigned ByteBits = 13;    // bytes of a burst, 1..4096
  localparam int unsigned AxiIdBits = 4;    // all bursts have ID 0: responses keep their order

  // A contiguous piece of a transfer: at most BurstBeats beats, within an aligned block of as many
  // beats on the far side (and so never across 4 KiB).
  typedef struct packed {
    logic                    store;
    logic                    cmem;   // far side: 1 CMEM, 0 HBM
    logic                    last;   // of its command
    logic [FarAddrBits-1:0]  addr;   // first byte on the far side: AXI address, or byte in CMEM
    logic [VmemAddrBits-1:0] vaddr;  // first byte in VMEM
    logic [ByteBits-2:0]     last_byte;  // bytes - 1
    logic [PcBits-1:0]       pc;
  } burst_t;

  // A burst that the bus answered with an error.
  typedef struct packed {
    logic [PcBits-1:0]      pc;
    logic [FarAddrBits-1:0] addr;
  } fault_t;
endpackage
