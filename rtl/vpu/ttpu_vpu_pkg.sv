// Configuration of the VPU as its control holds it, and what travels with a row.
package ttpu_vpu_pkg;
  import ttpu_isa_pkg::*;

  // Bytes of an element: log2.
  function automatic logic [1:0] dtype_log2(input dtype_e dtype);
    dtype_log2 = (dtype == DtypeS8 || dtype == DtypeU8) ? 2'd0
               : (dtype == DtypeBf16) ? 2'd1 : 2'd2;
  endfunction

  // Does the chain see this type as fp32?
  function automatic logic dtype_is_fp(input dtype_e dtype);
    dtype_is_fp = dtype == DtypeBf16 || dtype == DtypeF32;
  endfunction

  // Operand stream A or B.
  typedef struct packed {
    logic               on;       // B: enabled (A: always 1)
    logic               acc;      // A: from the accumulators (B: always 0)
    dtype_e             dtype;
    logic               dequant;
    logic signed [8:0]  zp;
    logic [31:0]        scale;
    logic signed [19:0] s0;
    logic signed [19:0] s1;
    logic signed [19:0] s2;
  } stream_t;

  // Result stream D.
  typedef struct packed {
    logic               fp;
    dtype_e             dtype;
    logic signed [8:0]  zp;
    logic signed [19:0] s0;
    logic signed [19:0] s1;
    logic signed [19:0] s2;
  } result_t;

  typedef struct packed {
    logic [15:0] n0;
    logic [15:0] n1;
    logic [15:0] n2;
    reduce_e     row_reduce;
    logic [1:0]  row_dims;
    reduce_e     lane_reduce;
    logic        fp;
    shuffle_e    shuffle;
    logic [7:0]  arg;
  } shape_t;

  typedef struct packed {
    vop_e        op;
    voperand_e   operand;
    logic        swap;
    logic [4:0]  shift;
    logic [31:0] value;  // the constant
  } stage_t;

  // A factor of the multiplier in ttpu_vpu_alu: an integer, or a significand, whose product stands
  // where that of IQMUL does, two bits below the top.
  function automatic logic [31:0] factor(input vop_e op, input logic [31:0] a);
    factor = op == VopImul || op == VopIqmul ? a : {2'b01, a[22:0], 7'd0};
  endfunction

  // What is being done.
  typedef enum logic [1:0] {
    ModeRun,
    ModeXpose,
    ModeLdv
  } mode_e;

  // What travels with a row: where its result goes and its place in its group.
  typedef struct packed {
    logic        first;   // first row of a row reduction
    logic        last;    // last row of a row reduction: the result is written
    logic [23:0] d_addr;
  } meta_t;

  // After reset, CLEAR and VPU_CLEAR.
  localparam stream_t StreamAReset = '{on: 1'b1, dtype: DtypeS8, default: '0};
  localparam stream_t StreamBReset = '{dtype: DtypeS8, default: '0};
  localparam result_t ResultReset = '{dtype: DtypeS8, default: '0};
  localparam shape_t ShapeReset = '{n0: 16'd1, n1: 16'd1, n2: 16'd1, row_reduce: ReduceNone,
                                    lane_reduce: ReduceNone, shuffle: ShuffleNone, default: '0};
  localparam stage_t StageReset = '{op: VopPass, operand: VoperandConst, default: '0};

  // Cycles that a row spends in a part of the pipeline.
  localparam int unsigned SfuLatency = 11;  // when a function is configured, else 0

  // The same for VpuLanes = 1, lane after lane.
  localparam int unsigned AluLatency = 5;
  localparam int unsigned LaneLoadLatency = 2 + 2 * AluLatency;
  localparam int unsigned LaneStageLatency = 1 + AluLatency;
  localparam int unsigned LaneSfuLatency = 25;  // when a function is configured, else 0
  localparam int unsigned LaneDepth = 16;  // results on their way at most
endpackage
