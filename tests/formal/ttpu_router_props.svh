// Proof of the router's buffers, credits and turns, put before its `endmodule` by prove_net.sh.
// Surroundings: the neighbours keep the flit port's contract (a flit only with a credit, packets whole,
// legal channels, credits back only for flits received); no port goes down, no multicast. Routes are free:
// also packets whose leg names no port, which are dropped.
  logic f_past = 1'b0;
  always_ff @(posedge clk_i) f_past <= 1'b1;
  always_comb begin
    if (!f_past) assume (!rst_ni);
    assume (cfg_down_i == '0);
  end

  // ---- what the neighbours hold -----------------------------------------------------------------
  logic [AW:0] f_cred_q[Chans];   // credits of the sender into input channel i
  logic [AW:0] f_there_q[Chans];  // flits held behind output channel s
  logic [Chans-1:0] f_in, f_go, f_open_q, f_after_q;
  for (genvar i = 0; i < Chans; i++) begin : g_f_env
    localparam int unsigned P = i / Vcs;
    localparam int unsigned V = i % Vcs;
    assign f_in[i] = in_valid_i[P] && in_flit_i[P][AtVc+:3] == 3'(V);
    assign f_go[i] = out_valid_o[P] && out_flit_o[P][AtVc+:3] == 3'(V);
    always_comb begin
      if (in_valid_i[P]) assume (in_flit_i[P][AtVc+:3] < 3'(Vcs));
      if (f_in[i]) begin
        assume (f_cred_q[i] != 0);
        assume (in_flit_i[P][AtHead] == !f_open_q[i]);
        assume (!in_flit_i[P][HeaderMcastLsb] || !in_flit_i[P][AtHead]);
      end
      if (out_credit_i[P][V]) assume (f_there_q[i] != 0);
    end
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        f_cred_q[i] <= (AW + 1)'(Depth);
        f_there_q[i] <= '0;
        f_open_q[i] <= 1'b0;
        f_after_q[i] <= 1'b0;
      end else begin
        f_cred_q[i] <= f_cred_q[i] - (AW + 1)'(f_in[i]) + (AW + 1)'(in_credit_o[P][V]);
        f_there_q[i] <= f_there_q[i] + (AW + 1)'(f_go[i]) - (AW + 1)'(out_credit_i[P][V]);
        if (f_in[i]) f_open_q[i] <= !in_flit_i[P][AtTail];
        if (f_go[i]) f_after_q[i] <= !out_flit_o[P][AtTail];
      end
    end
  end

  // ---- what was true before the last edge -------------------------------------------------------
  logic f_was_q = 1'b0;  // that edge was not a reset
  logic [Chans-1:0] f_pend_q, f_head_q, f_tail_q, f_drop_q, f_req_q;
  logic [AW-1:0] f_rp_q[Chans];
  logic [2:0] f_out_q[Chans];
  logic [2:0] f_ovc_q[Chans];
  logic [5:0] f_age_q[Chans];
  logic [Ports-1:0] f_hold_q;
  logic [IW-1:0] f_last_q[Ports];
  logic [IW-1:0] f_to[Chans];  // output channel of input channel i
  logic [Chans-1:0] f_left, f_sent;  // the flit at the head of FIFO i went, and not into the void
  always_ff @(posedge clk_i) begin
    f_was_q <= f_past && rst_ni;
    f_pend_q <= pend_q;
    f_head_q <= head_q;
    f_tail_q <= tail_q;
    f_hold_q <= hold_q;
    for (int unsigned p = 0; p < Ports; p++) f_last_q[p] <= last_q[p];
    for (int unsigned i = 0; i < Chans; i++) begin
      f_rp_q[i] <= rp_q[i];
      f_out_q[i] <= out_q[i];
      f_ovc_q[i] <= ovc_q[i];
      f_drop_q[i] <= kill_q[i] || out_q[i] == NoPort;
      f_age_q[i] <= age_q[i];
      f_req_q[i] <= pend_q[i] && !kill_q[i] && out_q[i] != NoPort && ready_q[f_to[i]] &&
          (!owned_q[f_to[i]] || act_q[i]);
    end
  end
  always_comb begin
    for (int unsigned i = 0; i < Chans; i++) begin
      f_left[i] = f_was_q && f_rp_q[i] != rp_q[i];
      f_sent[i] = f_left[i] && !f_drop_q[i];
      f_to[i] = IW'(32'(out_q[i]) << VW) | IW'(ovc_q[i]);
    end
  end

  // ---- one flit, any, from its coming to its going ----------------------------------------------
  // f_start and f_pick are not driven: the solver chooses.
  logic f_start, f_tracked_q;
  logic [IW-1:0] f_pick, f_chan_q;  // any channel, the same from reset on
  logic [AW-1:0] f_slot_q;
  logic [9:0] f_data_q;  // head, tail, 8 bits of payload
  logic [2:0] f_way_q;
  logic f_now;
  logic [FlitW-1:0] f_flit;
  localparam int unsigned CheckLsb = HeaderAddressLsb + 8;
  always_comb begin
    f_flit = '0;
    for (int unsigned p = 0; p < Ports; p++) if (p == 32'(f_chan_q) / Vcs) f_flit = in_flit_i[p];
    f_now = f_in[f_chan_q] && f_start && !f_tracked_q;
    assume (32'(f_pick) < Chans);
    if (f_past) assert (32'(f_chan_q) < Chans);
  end
  logic f_exit;  // it went at the last edge
  always_comb f_exit = f_tracked_q && f_left[f_chan_q] && f_rp_q[f_chan_q] == f_slot_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) f_chan_q <= f_pick;
    if (f_now) begin
      f_slot_q <= wp_q[f_chan_q];
      f_data_q <= {f_flit[AtHead], f_flit[AtTail], f_flit[CheckLsb+:8]};
      f_way_q <= f_flit[HeaderRouteLsb+3+:4] == 0 ? 3'(Local) :
          32'(f_flit[HeaderRouteLsb+:3]) < Local ? f_flit[HeaderRouteLsb+:3] : NoPort;
    end
    f_tracked_q <= rst_ni && (f_now || (f_tracked_q && !f_exit));
  end
  // It is where it was put until it goes; then it stands at the output of its packet, unchanged.
  logic [FlitW-1:0] f_out_flit;
  logic [2:0] f_exit_port;
  always_comb begin
    f_exit_port = f_out_q[f_chan_q];
    f_out_flit = flit_q[f_exit_port < 3'(Ports) ? f_exit_port : 0];
    if (f_past && f_tracked_q) begin
      assert (f_exit || AW'(f_slot_q - rp_q[f_chan_q]) < held_q[f_chan_q]);
      if (f_exit) begin
        if (f_data_q[9]) assert (f_exit_port == f_way_q);
        if (f_data_q[9]) assert (f_drop_q[f_chan_q] == (f_way_q == NoPort));
        if (!f_drop_q[f_chan_q]) begin
          assert (f_exit_port < 3'(Ports));
          assert (out_valid_o[f_exit_port]);
          assert ({f_out_flit[AtHead], f_out_flit[AtTail], f_out_flit[CheckLsb+:8]} == f_data_q);
          assert (f_out_flit[AtVc+:3] == f_ovc_q[f_chan_q]);
        end
      end
    end
  end

  // ---- each input channel -----------------------------------------------------------------------
  logic [Chans-1:0] f_mid, f_mid_q;  // behind a flit that is not a tail
  always_ff @(posedge clk_i) f_mid_q <= rst_ni ? f_mid : '0;
  for (genvar i = 0; i < Chans; i++) begin : g_f_chan
    localparam int unsigned P = i / Vcs;
    localparam int unsigned V = i % Vcs;
    ctl_t f_ctl[Depth];  // of the flits held, the one at the head first
    always_comb begin
      f_mid[i] = f_left[i] ? !f_tail_q[i] : f_mid_q[i];
      for (int unsigned k = 0; k < Depth; k++) f_ctl[k] = g_split.g_chan[i].ctl[AW'(rp_q[i]+AW'(k))];
      if (f_past) begin
        // no place is lost or taken twice
        assert (held_q[i] <= (AW + 1)'(Depth));
        assert (again_q[i] == 0 && f_cred_q[i] <= (AW + 1)'(Depth));
        assert (f_cred_q[i] + held_q[i] + (AW + 1)'(pulse_q[P][V]) == (AW + 1)'(Depth));
        assert (wp_q[i] == AW'(rp_q[i] + held_q[i][AW-1:0]));
        assert (g_split.g_chan[i].wp == wp_q[i]);
        assert (pend_q[i] == (held_q[i] != 0));
        // the flits held are whole packets, but for the first and the last
        for (int unsigned k = 0; k < Depth; k++) begin
          if (32'(held_q[i]) > k) begin
            assert (f_ctl[k].head == (k == 0 ? !f_mid[i] : f_ctl[k != 0 ? k - 1 : 0].tail));
            assert (!f_ctl[k].copy || !f_ctl[k].head);
            assert (f_ctl[k].out < 3'(Ports) || f_ctl[k].out == NoPort);
            assert (f_ctl[k].vc < 3'(Vcs));
            assert (f_ctl[k].head == g_split.g_chan[i].mem[AW'(rp_q[i]+AW'(k))][AtHead]);
            assert (f_ctl[k].tail == g_split.g_chan[i].mem[AW'(rp_q[i]+AW'(k))][AtTail]);
            if (32'(held_q[i]) == k + 1) assert (f_open_q[i] == !f_ctl[k].tail);
          end
        end
        if (held_q[i] == 0) assert (f_open_q[i] == f_mid[i]);
        if (pend_q[i]) begin
          assert (head_q[i] == f_ctl[0].head && tail_q[i] == f_ctl[0].tail);
          if (head_q[i]) assert (out_q[i] == f_ctl[0].out && ovc_q[i] == f_ctl[0].vc);
          if (!f_mid[i]) assert (!kill_q[i]);
        end
        if (pend_q[i] || f_mid[i]) begin
          assert (!copy_q[i]);
          assert (out_q[i] < 3'(Ports) || out_q[i] == NoPort);
          assert (ovc_q[i] < 3'(Vcs));
        end
        assert (!back_q[i]);
        if (f_mid[i]) assert (act_q[i] != kill_q[i]);
        if (f_was_q && f_pend_q[i] && !f_left[i]) assert (pend_q[i] && out_q[i] == f_out_q[i]);
        if (f_was_q && f_req_q[i]) assert (f_pend_q[i] && f_out_q[i] != NoPort);
        if (act_q[i]) assert (f_mid[i] && out_q[i] != NoPort);
        // the flit followed
        if (f_tracked_q && !f_exit && 32'(f_chan_q) == i) begin
          assert (g_split.g_chan[i].ctl[f_slot_q].head == f_data_q[9]);
          assert (g_split.g_chan[i].ctl[f_slot_q].tail == f_data_q[8]);
          if (f_data_q[9]) assert (g_split.g_chan[i].ctl[f_slot_q].out == f_way_q);
          assert (g_split.g_chan[i].mem[f_slot_q][AtHead] == f_data_q[9]);
          assert (g_split.g_chan[i].mem[f_slot_q][AtTail] == f_data_q[8]);
          assert (g_split.g_chan[i].mem[f_slot_q][CheckLsb+:8] == f_data_q[7:0]);
        end
      end
    end
  end

  // ---- each output channel, credits and owner ---------------------------------------------------
  for (genvar i = 0; i < Chans; i++) begin : g_f_there
    localparam int unsigned P = i / Vcs;
    logic [Chans-1:0] f_mine;
    always_comb begin
      for (int unsigned k = 0; k < Chans; k++)
        f_mine[k] = act_q[k] && 32'(out_q[k]) == P && 32'(ovc_q[k]) == i % Vcs;
      if (f_past) begin
        assert (credit_q[i] + f_there_q[i] + (AW + 1)'(f_go[i]) == (AW + 1)'(Depth));
        assert (credit_q[i] <= (AW + 1)'(Depth) && f_there_q[i] <= (AW + 1)'(Depth));
        assert (ready_q[i] == (credit_q[i] != 0));
        assert (owned_q[i] == (f_mine != 0));
        assert ((f_mine & (f_mine - 1'b1)) == 0);
        // packets go out whole
        assert (owned_q[i] == (f_go[i] ? !out_flit_o[P][AtTail] : f_after_q[i]));
        if (f_go[i]) assert (out_flit_o[P][AtHead] == !f_after_q[i]);
      end
    end
  end

  // ---- each output port: what goes out is what went, one flit of one channel --------------------
  for (genvar p = 0; p < Ports; p++) begin : g_f_port
    logic [Chans-1:0] f_from, f_asked;
    always_comb begin
      for (int unsigned i = 0; i < Chans; i++) begin
        f_from[i] = f_sent[i] && 32'(f_out_q[i]) == p;
        f_asked[i] = f_req_q[i] && 32'(f_out_q[i]) == p;
      end
      if (f_past) begin
        assert (32'(last_q[p]) < Chans);
        if (f_was_q) begin
          assert ((f_from & (f_from - 1'b1)) == 0);
          assert (out_valid_o[p] == (f_from != 0));
          // only a requester, and somebody if anybody asks
          assert ((f_from & ~f_asked) == 0);
          assert ((f_from != 0) == (f_asked != 0));
          if (f_from != 0) assert (f_from[last_q[p]]);
          if (out_valid_o[p]) assert (out_flit_o[p][AtVc+:3] < 3'(Vcs));
        end else begin
          assert (!out_valid_o[p]);
        end
      end
    end
  end

  // ---- turns ------------------------------------------------------------------------------------
  // The channel followed asks for an output, is at the highest age, and is not served: until it is, no
  // other channel begins to send there twice. So it waits for Chans - 1 turns at most.
  logic f_waits, f_fresh;
  logic [Chans-1:0] f_served, f_served_q;  // channels that began since it waits
  logic [IW-1:0] f_winner;
  logic [IW:0] f_my_rank;
  function automatic logic [IW:0] f_rank(input logic [IW-1:0] chan, input logic [IW-1:0] last);
    f_rank = chan > last ? (IW + 1)'(chan) - (IW + 1)'(last) :
        (IW + 1)'(chan) + (IW + 1)'(Chans) - (IW + 1)'(last);
  endfunction
  always_comb begin
    f_waits = f_was_q && f_req_q[f_chan_q] && f_age_q[f_chan_q] == 6'(MaxAge) && !f_left[f_chan_q];
    f_winner = last_q[f_exit_port < 3'(Ports) ? f_exit_port : 0];
    f_fresh = f_waits && !(f_hold_q[f_exit_port < 3'(Ports) ? f_exit_port : 0] &&
                           f_last_q[f_exit_port < 3'(Ports) ? f_exit_port : 0] == f_winner);
    f_served = f_served_q;
    if (f_fresh) f_served[f_winner] = 1'b1;
    f_my_rank = f_rank(f_chan_q, f_winner);
    if (f_past && f_waits) begin
      assert (f_exit_port < 3'(Ports));
      if (f_fresh) assert (!f_served_q[f_winner]);
      assert (!f_served[f_chan_q]);
      for (int unsigned i = 0; i < Chans; i++)
        if (f_served[i]) assert (f_rank(IW'(i), f_winner) >= f_my_rank);
    end
  end
  always_ff @(posedge clk_i) f_served_q <= rst_ni && f_waits ? f_served : '0;

  always_comb begin
    if (f_past) begin
      cover (f_exit && f_data_q[9] && f_drop_q[f_chan_q]);
      cover (f_exit && !f_data_q[9] && !f_drop_q[f_chan_q] && f_slot_q == 0);
      cover (held_q[0] == (AW + 1)'(Depth));
      cover (credit_q[1] == 0 && pend_q[0] && !ready_q[1]);
      cover (&out_valid_o);
      cover (f_waits && f_fresh && f_served_q != 0);
    end
  end
