// Host port of the microprogrammed core: AXI4-Lite slave of 32 bits, one access at a time. A read of
// STATUS is answered here, in the cycle after it was taken. Any other access raises hreq_o and stands on
// the bus, so there is no copy of it, until the microcode replies; the response is on the bus from two
// cycles after the reply. A write waits for its data, and for a read that comes with it.
module ttpu_micro_host
  import ttpu_reg_pkg::*;
(
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  s_axil_awvalid_i,
  output logic                  s_axil_awready_o,
  input  logic [WindowBits-1:0] s_axil_awaddr_i,
  input  logic                  s_axil_wvalid_i,
  output logic                  s_axil_wready_o,
  input  logic [3:0]            s_axil_wstrb_i,
  output logic                  s_axil_bvalid_o,
  input  logic                  s_axil_bready_i,
  output logic [1:0]            s_axil_bresp_o,
  input  logic                  s_axil_arvalid_i,
  output logic                  s_axil_arready_o,
  input  logic [WindowBits-1:0] s_axil_araddr_i,
  output logic                  s_axil_rvalid_o,
  input  logic                  s_axil_rready_i,
  output logic [31:0]           s_axil_rdata_o,
  output logic [1:0]            s_axil_rresp_o,
  // microcode
  output logic                  hreq_o,
  output logic [31:0]           haddr_o,   // bit 31: write, bit 30: all strobes, address
  input  logic                  reply_i,   // with data, OKAY
  input  logic                  fail_i,    // SLVERR, data 0
  input  logic [31:0]           data_i,
  input  logic [4:0]            status_i   // register STATUS
);
  typedef enum logic [1:0] {
    StIdle,    // look for an access
    StWork,    // the microcode has it
    StTake,    // the response is ready: take the access off the bus
    StRespond
  } state_e;
  state_e      state_q;
  logic        write_q, fail_q, hreq_q;
  logic [31:0] rdata_q;

  logic is_status;
  assign is_status = s_axil_arvalid_i && s_axil_araddr_i == RegStatus;

  always_ff @(posedge clk_i) begin
    case (state_q)
      StIdle: begin
        write_q <= !s_axil_arvalid_i;
        if (is_status) begin
          state_q <= StTake;
        end else if (s_axil_arvalid_i || (s_axil_awvalid_i && s_axil_wvalid_i)) begin
          state_q <= StWork;
          hreq_q <= 1'b1;
        end
      end
      StWork: begin
        if (reply_i || fail_i) begin
          state_q <= StTake;
          hreq_q <= 1'b0;
        end
      end
      StTake:  state_q <= StRespond;
      default: if (write_q ? s_axil_bready_i : s_axil_rready_i) state_q <= StIdle;
    endcase
    if (state_q == StIdle || reply_i || fail_i) begin
      fail_q <= fail_i;
      rdata_q <= (state_q == StIdle) ? 32'(status_i) : fail_i ? '0 : data_i;
    end
    if (!rst_ni) begin
      state_q <= StIdle;
      hreq_q <= 1'b0;
    end
  end

  assign hreq_o = hreq_q;
  assign haddr_o = {write_q, &s_axil_wstrb_i, 10'b0, write_q ? s_axil_awaddr_i : s_axil_araddr_i};
  assign s_axil_arready_o = state_q == StTake && !write_q;
  assign s_axil_awready_o = state_q == StTake && write_q;
  assign s_axil_wready_o = s_axil_awready_o;
  assign s_axil_rvalid_o = state_q == StRespond && !write_q;
  assign s_axil_bvalid_o = state_q == StRespond && write_q;
  assign s_axil_rdata_o = rdata_q;
  assign s_axil_rresp_o = {fail_q, 1'b0};
  assign s_axil_bresp_o = {fail_q, 1'b0};

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) if (rst_ni) begin
    assert (!((reply_i || fail_i) && state_q != StWork)) else $error("micro_host: reply without a request");
  end
`endif
endmodule
