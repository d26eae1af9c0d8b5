// ECP5's block RAM as Yosys uses it, 1,024 x 18 bits, in its five widths of a port and as one write and one
// read port with 36 bits on either: Yosys declares it, and has no model of it. No output registers, no reset,
// rising clocks. A port that reads what the other writes in the same cycle gets the complement of the old word:
// the device promises nothing then.
module DP16KD #(
  parameter int DATA_WIDTH_A = 18,
  parameter int DATA_WIDTH_B = 18,
  parameter REGMODE_A = "NOREG",
  parameter REGMODE_B = "NOREG",
  parameter RESETMODE = "SYNC",
  parameter ASYNC_RESET_RELEASE = "SYNC",
  parameter CSDECODE_A = "0b000",
  parameter CSDECODE_B = "0b000",
  parameter WRITEMODE_A = "NORMAL",
  parameter WRITEMODE_B = "NORMAL",
  parameter CLKAMUX = "CLKA",
  parameter CLKBMUX = "CLKB",
  parameter GSR = "ENABLED",
  parameter logic [319:0] INITVAL_00 = '0,
  parameter logic [319:0] INITVAL_01 = '0,
  parameter logic [319:0] INITVAL_02 = '0,
  parameter logic [319:0] INITVAL_03 = '0,
  parameter logic [319:0] INITVAL_04 = '0,
  parameter logic [319:0] INITVAL_05 = '0,
  parameter logic [319:0] INITVAL_06 = '0,
  parameter logic [319:0] INITVAL_07 = '0,
  parameter logic [319:0] INITVAL_08 = '0,
  parameter logic [319:0] INITVAL_09 = '0,
  parameter logic [319:0] INITVAL_0A = '0,
  parameter logic [319:0] INITVAL_0B = '0,
  parameter logic [319:0] INITVAL_0C = '0,
  parameter logic [319:0] INITVAL_0D = '0,
  parameter logic [319:0] INITVAL_0E = '0,
  parameter logic [319:0] INITVAL_0F = '0,
  parameter logic [319:0] INITVAL_10 = '0,
  parameter logic [319:0] INITVAL_11 = '0,
  parameter logic [319:0] INITVAL_12 = '0,
  parameter logic [319:0] INITVAL_13 = '0,
  parameter logic [319:0] INITVAL_14 = '0,
  parameter logic [319:0] INITVAL_15 = '0,
  parameter logic [319:0] INITVAL_16 = '0,
  parameter logic [319:0] INITVAL_17 = '0,
  parameter logic [319:0] INITVAL_18 = '0,
  parameter logic [319:0] INITVAL_19 = '0,
  parameter logic [319:0] INITVAL_1A = '0,
  parameter logic [319:0] INITVAL_1B = '0,
  parameter logic [319:0] INITVAL_1C = '0,
  parameter logic [319:0] INITVAL_1D = '0,
  parameter logic [319:0] INITVAL_1E = '0,
  parameter logic [319:0] INITVAL_1F = '0,
  parameter logic [319:0] INITVAL_20 = '0,
  parameter logic [319:0] INITVAL_21 = '0,
  parameter logic [319:0] INITVAL_22 = '0,
  parameter logic [319:0] INITVAL_23 = '0,
  parameter logic [319:0] INITVAL_24 = '0,
  parameter logic [319:0] INITVAL_25 = '0,
  parameter logic [319:0] INITVAL_26 = '0,
  parameter logic [319:0] INITVAL_27 = '0,
  parameter logic [319:0] INITVAL_28 = '0,
  parameter logic [319:0] INITVAL_29 = '0,
  parameter logic [319:0] INITVAL_2A = '0,
  parameter logic [319:0] INITVAL_2B = '0,
  parameter logic [319:0] INITVAL_2C = '0,
  parameter logic [319:0] INITVAL_2D = '0,
  parameter logic [319:0] INITVAL_2E = '0,
  parameter logic [319:0] INITVAL_2F = '0,
  parameter logic [319:0] INITVAL_30 = '0,
  parameter logic [319:0] INITVAL_31 = '0,
  parameter logic [319:0] INITVAL_32 = '0,
  parameter logic [319:0] INITVAL_33 = '0,
  parameter logic [319:0] INITVAL_34 = '0,
  parameter logic [319:0] INITVAL_35 = '0,
  parameter logic [319:0] INITVAL_36 = '0,
  parameter logic [319:0] INITVAL_37 = '0,
  parameter logic [319:0] INITVAL_38 = '0,
  parameter logic [319:0] INITVAL_39 = '0,
  parameter logic [319:0] INITVAL_3A = '0,
  parameter logic [319:0] INITVAL_3B = '0,
  parameter logic [319:0] INITVAL_3C = '0,
  parameter logic [319:0] INITVAL_3D = '0,
  parameter logic [319:0] INITVAL_3E = '0,
  parameter logic [319:0] INITVAL_3F = '0
) (
  input  logic
    DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2,
    DIA1, DIA0,
    ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0,
    CEA, OCEA, CLKA, WEA, RSTA, CSA2, CSA1, CSA0,
    DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2,
    DIB1, DIB0,
    ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0,
    CEB, OCEB, CLKB, WEB, RSTB, CSB2, CSB1, CSB0,
  output logic
    DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2,
    DOA1, DOA0,
    DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2,
    DOB1, DOB0
);
  localparam logic [64*320-1:0] Init = {
    INITVAL_3F, INITVAL_3E, INITVAL_3D, INITVAL_3C, INITVAL_3B, INITVAL_3A, INITVAL_39, INITVAL_38,
    INITVAL_37, INITVAL_36, INITVAL_35, INITVAL_34, INITVAL_33, INITVAL_32, INITVAL_31, INITVAL_30,
    INITVAL_2F, INITVAL_2E, INITVAL_2D, INITVAL_2C, INITVAL_2B, INITVAL_2A, INITVAL_29, INITVAL_28,
    INITVAL_27, INITVAL_26, INITVAL_25, INITVAL_24, INITVAL_23, INITVAL_22, INITVAL_21, INITVAL_20,
    INITVAL_1F, INITVAL_1E, INITVAL_1D, INITVAL_1C, INITVAL_1B, INITVAL_1A, INITVAL_19, INITVAL_18,
    INITVAL_17, INITVAL_16, INITVAL_15, INITVAL_14, INITVAL_13, INITVAL_12, INITVAL_11, INITVAL_10,
    INITVAL_0F, INITVAL_0E, INITVAL_0D, INITVAL_0C, INITVAL_0B, INITVAL_0A, INITVAL_09, INITVAL_08,
    INITVAL_07, INITVAL_06, INITVAL_05, INITVAL_04, INITVAL_03, INITVAL_02, INITVAL_01, INITVAL_00
  };
  // One port: where a bit of its data lies among the 18 of a row. Narrow widths leave out bits 8 and 17.
  function automatic logic [17:0] mask(input int width, input logic [13:0] address);
    case (width)
      1: return 18'(1 << (address[3] ? 9 + address[2:0] : 0 + address[2:0]));
      2: return 18'(3 << ((address[3] ? 9 : 0) + 2 * address[2:1]));
      4: return 18'(15 << ((address[3] ? 9 : 0) + 4 * address[2]));
      9: return address[3] ? 18'h3fe00 : 18'h001ff;
      default: return {{9{address[1]}}, {9{address[0]}}};  // byte enables
    endcase
  endfunction
  function automatic int shift(input int width, input logic [13:0] address);
    case (width)
      1: return (address[3] ? 9 : 0) + address[2:0];
      2: return (address[3] ? 9 : 0) + 2 * address[2:1];
      4: return (address[3] ? 9 : 0) + 4 * address[2];
      9: return address[3] ? 9 : 0;
      default: return 0;
    endcase
  endfunction

  logic [17:0] mem [1024];
  logic [17:0] dia, dib, doa, dob;
  logic [13:0] ada, adb;
  assign dia = {
    DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2,
    DIA1, DIA0
  };
  assign ada = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0};
  assign {
    DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2,
    DOA1, DOA0
  } = doa;
  assign dib = {
    DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2,
    DIB1, DIB0
  };
  assign adb = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0};
  assign {
    DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2,
    DOB1, DOB0
  } = dob;
  initial for (int i = 0; i < 1024; i++) mem[i] = Init[20*i+:18];

  // Rows and bits that each port touches; a width of 36 has a pair of rows.
  localparam bit WideA = DATA_WIDTH_A == 36;
  localparam bit WideB = DATA_WIDTH_B == 36;
  logic [9:0] row_a, row_b;
  assign row_a = {ada[13:5], !WideA && ada[4]};
  assign row_b = {adb[13:5], !WideB && adb[4]};
  logic [17:0] mask_a, mask_a1, mask_b;
  assign mask_a = (CEA && WEA) ? mask(DATA_WIDTH_A, ada) : '0;
  assign mask_a1 = (CEA && WEA && WideA) ? {{9{ada[3]}}, {9{ada[2]}}} : '0;
  assign mask_b = (CEB && WEB) ? mask(DATA_WIDTH_B, adb) : '0;
  // What the other port writes in the rows that a port reads.
  function automatic logic [17:0] clash(input logic [9:0] row, input logic [9:0] other, input bit wide,
                                        input logic [17:0] low, input logic [17:0] high);
    if (!wide) return row == other ? low : '0;
    return row[9:1] != other[9:1] ? '0 : row[0] ? high : low;
  endfunction

  always @(posedge CLKA) begin
    if (CEA && !WideA && !WideB && (!WEA || WRITEMODE_A == "READBEFOREWRITE"))
      doa <= (mem[row_a] ^ clash(row_a, row_b, 1'b0, mask_b, '0)) >> shift(DATA_WIDTH_A, ada);
    if (CEA && WEA && !WideA && WRITEMODE_A == "WRITETHROUGH") doa <= dia;
  end
  always @(posedge CLKB) begin
    if (CEB && (!WEB || WRITEMODE_B == "READBEFOREWRITE"))
      if (WideB) begin
        doa <= mem[row_b] ^ clash(row_b, row_a, WideA, mask_a, mask_a1);
        dob <= mem[row_b+1] ^ clash(row_b + 1, row_a, WideA, mask_a, mask_a1);
      end else
        dob <= (mem[row_b] ^ clash(row_b, row_a, WideA, mask_a, mask_a1)) >> shift(DATA_WIDTH_B, adb);
    if (CEB && WEB && WRITEMODE_B == "WRITETHROUGH") dob <= dib;
  end
  always @(posedge CLKA) begin
    for (int i = 0; i < 18; i++) begin
      if (mask_a[i]) mem[row_a][i] <= dia[i-((DATA_WIDTH_A < 18) ? shift(DATA_WIDTH_A, ada) : 0)];
      if (mask_a1[i]) mem[row_a+1][i] <= dib[i];
    end
  end
  always @(posedge CLKB) begin
    for (int i = 0; i < 18; i++)
      if (mask_b[i]) mem[row_b][i] <= dib[i-((DATA_WIDTH_B < 18) ? shift(DATA_WIDTH_B, adb) : 0)];
  end

  always @(posedge CLKA) assert (!RSTA && !RSTB) else $fatal(1, "DP16KD: this model has no reset");
  initial begin
    assert (REGMODE_A == "NOREG" && REGMODE_B == "NOREG" && CLKAMUX == "CLKA" && CLKBMUX == "CLKB" &&
            !(WideB && WEB))
      else $fatal(1, "DP16KD: this model has no output registers, no inverted clocks, no write port B of 36");
  end
  logic unused;
  assign unused = ^{OCEA, OCEB, CSA2, CSA1, CSA0, CSB2, CSB1, CSB0};
endmodule
