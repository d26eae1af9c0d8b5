// What the cells of a synthesized iCE40 netlist do, without delays: for its simulation by
// scripts/bench_area.sh.
module SB_LUT4 #(parameter [15:0] LUT_INIT = 0) (output O, input I0, I1, I2, I3);
  wire [3:0] index = {I3, I2, I1, I0};
  assign O = LUT_INIT[index];
endmodule
module SB_CARRY (output CO, input I0, I1, CI);
  assign CO = (I0 & I1) | (I0 & CI) | (I1 & CI);
endmodule
module SB_DFF (output reg Q, input C, D);
  always @(posedge C) Q <= D;
endmodule
module SB_DFFE (output reg Q, input C, E, D);
  always @(posedge C) if (E) Q <= D;
endmodule
module SB_DFFSR (output reg Q, input C, R, D);
  always @(posedge C) Q <= ~R & D;
endmodule
module SB_DFFSS (output reg Q, input C, S, D);
  always @(posedge C) Q <= S | D;
endmodule
module SB_DFFESR (output reg Q, input C, E, R, D);
  always @(posedge C) if (E) Q <= ~R & D;
endmodule
module SB_DFFESS (output reg Q, input C, E, S, D);
  always @(posedge C) if (E) Q <= S | D;
endmodule
