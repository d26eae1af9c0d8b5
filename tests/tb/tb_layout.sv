// Takes cmd_t and status_t apart, so that a test can hold the bench's layout to the RTL's.
module tb_layout
  import ttpu_pkg::*;
  import ttpu_isa_pkg::*;
  import ttpu_reg_pkg::*;
(
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  cmd_t                   cmd_i,
  output logic [7:0]             opcode_o,
  output logic [BodyBits-1:0]    body_o,
  output logic [31:0]            a_o,
  output logic [31:0]            b_o,
  output logic [31:0]            c_o,
  output logic [PcBits-1:0]      pc_o,
  output logic [15:0]            cmd_bits_o,
  output logic [15:0]            status_bits_o,
  input  logic                   done_i,
  input  logic                   error_i,
  input  error_e                 cause_i,
  input  logic [PcBits-1:0]      pc_i,
  input  logic [FarAddrBits-1:0] addr_i,
  input  activity_e              activity_i,
  input  logic                   quiet_i,
  output status_t                status_o,
  // A counter with an assertion that fails on request.
  input  logic                   break_i,
  output logic [31:0]            count_o,
  output logic [31:0]            random_o
);
  assign opcode_o = cmd_i.opcode;
  assign body_o = cmd_i.body;
  assign a_o = cmd_i.a;
  assign b_o = cmd_i.b;
  assign c_o = cmd_i.c;
  assign pc_o = cmd_i.pc;
  assign cmd_bits_o = 16'($bits(cmd_t));
  assign status_bits_o = 16'($bits(status_t));

  status_t status;
  always_comb begin
    status.done = done_i;
    status.error = error_i;
    status.cause = cause_i;
    status.pc = pc_i;
    status.addr = addr_i;
    status.activity = activity_i;
    status.quiet = quiet_i;
  end
  assign status_o = status;

  logic [31:0] never_reset_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) count_o <= '0;
    else count_o <= count_o + 1;
    if (break_i) never_reset_q <= '0;
  end
  assign random_o = never_reset_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) assert (!break_i) else $error("break_i was set");
  end
endmodule
