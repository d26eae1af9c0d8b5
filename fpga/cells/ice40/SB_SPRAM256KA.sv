// The UP5K's single-port RAM of 16,384 x 16: declared for synthesis, and with a body for simulation
// (iCE40 UltraPlus memory usage guide). After a write DATAOUT is undefined on the device, here all
// ones, so that whoever reads it is found. Power pins do nothing here: boards tie them off.
(* blackbox *)
module SB_SPRAM256KA (
  input  logic [13:0] ADDRESS,
  input  logic [15:0] DATAIN,
  input  logic [3:0]  MASKWREN,
  input  logic        WREN, CHIPSELECT, CLOCK, STANDBY, SLEEP, POWEROFF,
  output logic [15:0] DATAOUT
);
`ifndef SYNTHESIS
  logic [15:0] mem [16384];
  logic [15:0] mask;
  assign mask = {{4{MASKWREN[3]}}, {4{MASKWREN[2]}}, {4{MASKWREN[1]}}, {4{MASKWREN[0]}}};
  always_ff @(posedge CLOCK) begin
    if (CHIPSELECT) begin
      DATAOUT <= WREN ? 16'hffff : mem[ADDRESS];
      if (WREN) mem[ADDRESS] <= (mem[ADDRESS] & ~mask) | (DATAIN & mask);
    end
  end
  logic unused;
  assign unused = ^{STANDBY, SLEEP, POWEROFF};
`endif
endmodule
