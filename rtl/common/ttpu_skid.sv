// FIFO of two words whose every output is a register: for a word that has far to go, or is asked for
// at the head of a long path.
// Both sides valid-ready, as ttpu_fifo with Depth = 2: a word moves in a cycle in which valid and
// ready are high, latency 1, one push and one pop a cycle, no push while two words are held. The
// second word is shown too. clear_i empties it (synchronous); reset and clear act on the valid bits.
module ttpu_skid #(
  parameter int unsigned Width = 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             clear_i,
  // in
  input  logic             push_valid_i,
  output logic             push_ready_o,
  input  logic [Width-1:0] push_data_i,
  // out
  output logic             pop_valid_o,
  input  logic             pop_ready_i,
  output logic [Width-1:0] pop_data_o,
  // the word behind it
  output logic             next_valid_o,
  output logic [Width-1:0] next_data_o
);
  logic push, free;  // free: a word can come to the front
  assign push = push_valid_i && push_ready_o;
  assign free = !pop_valid_o || pop_ready_i;
  assign next_valid_o = !push_ready_o;

  always_ff @(posedge clk_i) begin
    if (free) begin
      pop_valid_o <= next_valid_o || push;
      pop_data_o <= next_valid_o ? next_data_o : push_data_i;
    end
    if (push) next_data_o <= push_data_i;
    push_ready_o <= free || !(push || next_valid_o);
    if (!rst_ni || clear_i) begin
      pop_valid_o <= 1'b0;
      push_ready_o <= 1'b1;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni)
      assert (!next_valid_o || pop_valid_o) else $error("ttpu_skid: a second word without a first");
  end
`endif
endmodule
