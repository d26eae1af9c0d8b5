// Constants and functions of the matrix unit.
package ttpu_mxu_pkg;
  // How the array multiplies integers: parameter MulStyle of ttpu_mxu. The first two are
  // ttpu_mxu_array's, the others ttpu_mxu_array_dsp.
  localparam int unsigned MulOperator = 0;  // the `*` operator: simulation, FPGAs with DSP blocks
  localparam int unsigned MulDigits = 1;  // radix-4 digits in 4-input LUTs: FPGAs without
  localparam int unsigned MulDsp = 2;  // DSP blocks of 25 x 18 bits that also hold weights and sum
  localparam int unsigned MulPacked = 3;  // two products in each of them

  // Cycles from the one in which a row enters the array to the one in which its sums stand at the
  // array's output.
  function automatic int unsigned array_latency(input int unsigned n, input int unsigned stages,
                                                input int unsigned fp_stages);
    return n + fp_stages * n + stages - 1;
  endfunction

  // Cycles that adding a row to the accumulators takes.
  function automatic int unsigned acc_stages(input int unsigned fp_stages);
    return (fp_stages == 1) ? 1 : fp_stages + 2;
  endfunction

  // Bits of an element inside the array: bfloat16, or an 8-bit integer of either sign.
  function automatic int unsigned element_bits(input int unsigned has_fp);
    return (has_fp != 0) ? 16 : 9;
  endfunction

  // What travels beside a row of activations, from VMEM to the accumulators.
  typedef struct packed {
    logic        row;         // a row; else a command without rows passes by, to end in order
    logic        last;        // last of its command
    logic        accumulate;  // add to the accumulators
    logic        fp;          // fp32 sums
    logic [8:0]  n;           // columns in use
    logic [15:0] acc;         // accumulator row
  } row_info_t;
endpackage
