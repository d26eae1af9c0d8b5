// Router of a torus of 1 to 3 dimensions: 2 * Dims cables and the local port, Vcs virtual channels a
// port with a FIFO of Depth flits each, credits, wormhole, source routes in the header.
//
//   in at cycle t -> out at t + 2 (zero load). 1 flit a cycle in and out of every port at once; each
//   input channel is read on its own (an input port may send to several outputs in one cycle).
//   credit: flit leaves the FIFO at the end of cycle t -> in_credit_o in t + 1; out_credit_i in t
//   counts from t + 1.
//
// Output choice: the packet sent last while it has a flit and a credit; else the oldest head (age =
// header's age + wait here, in units of 8 cycles, at most 63); equal ages: network before local, then
// round robin; age 63: round robin among all. A channel of an output belongs to a packet from head to
// tail.
//
// Route: hops of the lowest leg 0 = deliver here, on the channel it came in on. Else out of port `dir`
// on class (vclass | dateline of the port), same lane; hops - 1, at 0 the next leg moves down.
// Multicast: on the last leg (all later ones have hops 0) a packet that came in along the leg (by port
// dir ^ 1) is also copied to the local port, with the route it goes on with.
//
// Bad input: a leg to a port that does not exist or is down: the packet is taken, a flit a cycle, and
// counted; the header of the first one is kept until drop_clear_i. A port that goes down in the middle
// of a packet: the rest is taken and dropped, counted as cut. Credits and channels of a port that is
// down are as after reset. A flit without credit, a body without head: not allowed (assertions).
module ttpu_router #(
    parameter int unsigned Dims = 2,  // 1, 2, 3
    parameter int unsigned Vcs = 8,  // 2, 4, 8
    parameter int unsigned Depth = 16,  // a power of two, 4 to 64
    parameter int unsigned DataW = 128,  // 128 or more
    // 1: a memory for each channel, as LUT RAM wants it; 0: one array, which simulates faster.
    parameter int unsigned SplitMem = 0,
    localparam int unsigned FlitW = DataW + ttpu_ici_pkg::FlitExtraW,
    localparam int unsigned Ports = 2 * Dims + 1
) (
    input logic clk_i,
    input logic rst_ni,
    // flit ports, the local one last
    input logic [Ports-1:0] in_valid_i,
    input logic [FlitW-1:0] in_flit_i[Ports],
    output logic [Vcs-1:0] in_credit_o[Ports],
    output logic [Ports-1:0] out_valid_o,
    output logic [FlitW-1:0] out_flit_o[Ports],
    input logic [Vcs-1:0] out_credit_i[Ports],
    // levels from the node's registers
    input logic [2*Dims-1:0] cfg_dateline_i,
    input logic [2*Dims-1:0] cfg_down_i,
    // counters: {kind[1:0], port[2:0], vc[2:0]} -> value a cycle later
    input logic [7:0] cnt_sel_i,
    output logic [31:0] cnt_value_o,
    // state of an input channel: {port[2:0], vc[2:0]} -> a cycle later
    input logic [5:0] state_sel_i,
    output logic [31:0] state_o,
    // first dropped packet
    input logic drop_clear_i,
    output logic drop_valid_o,
    output logic [2:0] drop_port_o,  // output it wanted; 7: does not exist
    output logic [127:0] drop_header_o
);
  import ttpu_ici_pkg::*;
  import ttpu_router_pkg::*;

  localparam int unsigned Chans = Ports * Vcs;  // input channels, and output channels
  localparam int unsigned IW = $clog2(Chans);
  localparam int unsigned VW = $clog2(Vcs);
  localparam int unsigned AW = $clog2(Depth);
  localparam int unsigned Local = 2 * Dims;
  localparam int unsigned AtVc = DataW + FlitVc;
  localparam int unsigned AtTail = DataW + FlitTail;
  localparam int unsigned AtHead = DataW + FlitHead;

  // The flit as it is stored: a head with its new route.
  function automatic logic [FlitW-1:0] stored(input logic [FlitW-1:0] flit,
                                              input logic [HeaderRouteW-1:0] route);
    stored = flit;
    if (flit[AtHead]) stored[HeaderRouteLsb+:HeaderRouteW] = route;
  endfunction

  // Input channel i = port * Vcs + vc. Bit i of a mask is about the flit at the head of FIFO i.
  logic [AW-1:0] wp_q[Chans];  // write and read place, flits held
  logic [AW-1:0] rp_q[Chans];
  logic [AW:0] held_q[Chans];
  ctl_t ctl_q[Chans*Depth];
  logic [Chans-1:0] pend_q, pendl_q;  // has to go to out_q, to the local port as a copy
  logic [Chans-1:0] head_q, tail_q, copy_q;
  logic [Chans-1:0] act_q, actl_q;  // owns its output channel, that of its copy
  logic [Chans-1:0] kill_q;  // the packet is being dropped
  logic [2:0] out_q[Chans];
  logic [2:0] ovc_q[Chans];
  logic [5:0] age_q[Chans];
  // Output channel s = port * Vcs + vc.
  logic [AW:0] credit_q[Chans];
  logic [Chans-1:0] ready_q;  // has a credit
  logic [Chans-1:0] owned_q;
  // Output ports.
  logic [Ports-1:0] hold_q;  // in the middle of the packet of channel hold_ch_q
  logic [IW-1:0] hold_ch_q[Ports];
  logic [IW-1:0] rr_q[8];  // round robin starts here
  logic [FlitW-1:0] flit_q[Ports];
  logic [Vcs-1:0] pulse_q[Ports];
  logic [2*Dims-1:0] down_q;
  logic [12:0] time_q;
  // Counters.
  logic [31:0] sent_q[Chans];
  logic [31:0] wait_q[Chans];
  logic [31:0] lost_q[Chans];
  logic [31:0] dropped_q, cut_q;

  // ---- flit memory ---------------------------------------------------------------------------------
  logic [FlitW-1:0] mem_q[SplitMem != 0 ? 1 : Chans*Depth];
  logic [FlitW-1:0] front[SplitMem != 0 ? Chans : 1];

  if (SplitMem != 0) begin : g_split
    for (genvar i = 0; i < Chans; i++) begin : g_chan
      localparam int unsigned P = i / Vcs;
      logic [FlitW-1:0] mem[Depth];
      logic [AW-1:0] wp;
      logic write;
      assign write = in_valid_i[P] && in_flit_i[P][AtVc+:VW] == VW'(i);
      always_ff @(posedge clk_i) begin
        if (!rst_ni) wp <= '0;
        else if (write) wp <= wp + 1'b1;
      end
      way_t way;
      assign way = way_of(in_flit_i[P][HeaderRouteLsb+:HeaderRouteW], in_flit_i[P][HeaderMcastLsb],
                          in_flit_i[P][AtVc+:3], 3'(P), Local, VW, 8'(cfg_dateline_i));
      always_ff @(posedge clk_i) begin
        if (write) mem[wp] <= stored(in_flit_i[P], way.route);
      end
      assign front[i] = mem[rp_q[i]];
    end
  end else begin : g_flat
    assign front[0] = '0;
  end

  // ---- everything else -------------------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    logic [7:0] alive;
    logic [Chans-1:0] was, dead, stuck, lose, fresh;
    logic [Ports-1:0] send;
    logic [8:0] best[8];
    logic [8:0] key;
    logic [IW-1:0] win[8];
    logic [IW-1:0] s;
    logic [2:0] o;
    logic copy;
    logic [FlitW-1:0] flit;
    way_t way;
    ctl_t ctl;

    alive = 8'({1'b1, ~cfg_down_i});
    if (!rst_ni) begin
      for (int unsigned i = 0; i < Chans; i++) begin
        wp_q[i] = '0;
        rp_q[i] = '0;
        held_q[i] = '0;
        credit_q[i] = (AW + 1)'(Depth);
        sent_q[i] = '0;
        wait_q[i] = '0;
        lost_q[i] = '0;
        out_q[i] = NoPort;
        ovc_q[i] = '0;
        age_q[i] = '0;
      end
      for (int unsigned p = 0; p < 8; p++) rr_q[p] = '0;
      for (int unsigned p = 0; p < Ports; p++) begin
        hold_ch_q[p] = '0;
        pulse_q[p] = '0;
      end
      pend_q = '0;
      pendl_q = '0;
      act_q = '0;
      actl_q = '0;
      kill_q = '0;
      ready_q = '1;
      owned_q = '0;
      hold_q = '0;
      down_q = '0;
      time_q = '0;
      dropped_q = '0;
      cut_q = '0;
      out_valid_o <= '0;
      drop_valid_o <= 1'b0;
    end else begin
      was = pend_q | pendl_q;
      dead = '0;
      stuck = '0;
      lose = '0;
      fresh = '0;
      send = '0;
      if (drop_clear_i) drop_valid_o <= 1'b0;

      // Age, in units of 8 cycles.
      time_q = time_q + 1'b1;
      if (time_q[2:0] == 0 && was != 0) begin
        for (int unsigned i = 0; i < Chans; i++) begin
          if (age_q[i] != 6'(MaxAge)) age_q[i] = age_q[i] + 1'b1;
        end
      end

      // A port that goes down: packets on their way through it are cut.
      if (cfg_down_i != 0 || down_q != 0) begin
        if ((cfg_down_i & ~down_q) != 0) begin
          for (int unsigned i = 0; i < Chans; i++) begin
            if (act_q[i] && !alive[out_q[i]]) begin
              act_q[i] = 1'b0;
              kill_q[i] = 1'b1;
              cut_q = cut_q + 1'b1;
            end
          end
        end
        for (int unsigned p = 0; p < Local; p++) begin
          if (cfg_down_i[p]) begin
            for (int unsigned v = 0; v < Vcs; v++) credit_q[p*Vcs+v] = (AW + 1)'(Depth);
            ready_q[p*Vcs+:Vcs] = '1;
            owned_q[p*Vcs+:Vcs] = '0;
            hold_q[p] = 1'b0;
          end
        end
        down_q = cfg_down_i;
      end

      // Requests, and the best of each output.
      for (int unsigned p = 0; p < Ports; p++) begin
        best[p] = '0;
        win[p] = hold_ch_q[p];
        if (hold_q[p]) begin
          if (out_q[win[p]] == 3'(p)) begin
            s = IW'(p * Vcs) + IW'(ovc_q[win[p]]);
            if (pend_q[win[p]] && ready_q[s]) best[p] = '1;
          end else begin
            s = IW'(p * Vcs) + IW'(win[p][VW-1:0]);
            if (pendl_q[win[p]] && ready_q[s]) best[p] = '1;
          end
        end
      end
      for (int unsigned p = 0; p < Ports; p++) begin
        if (pend_q[p*Vcs+:Vcs] != 0) begin
          for (int unsigned i = p * Vcs; i < (p + 1) * Vcs; i++) begin
            if (pend_q[i]) begin
              o = out_q[i];
              s = IW'(32'(o) * Vcs) + IW'(ovc_q[i]);
              if (kill_q[i] || !alive[o]) begin
                dead[i] = 1'b1;
              end else if (!ready_q[s] || (owned_q[s] && !act_q[i])) begin
                stuck[i] = 1'b1;
                wait_q[i] = wait_q[i] + 1'b1;
              end else begin
                lose[i] = 1'b1;
                key = {1'b1, age_q[i], p != Local || age_q[i] == 6'(MaxAge), IW'(i) >= rr_q[o]};
                if (key > best[o]) begin
                  best[o] = key;
                  win[o] = IW'(i);
                end
              end
            end
          end
        end
      end
      if (pendl_q != 0) begin
        for (int unsigned i = 0; i < Chans; i++) begin
          if (pendl_q[i]) begin
            s = IW'(Local * Vcs) + IW'(i % Vcs);
            if (!ready_q[s] || (owned_q[s] && !actl_q[i])) begin
              if (!stuck[i]) wait_q[i] = wait_q[i] + 1'b1;
            end else begin
              lose[i] = 1'b1;
              key = {1'b1, age_q[i], 1'b1, IW'(i) >= rr_q[Local]};
              if (key > best[Local]) begin
                best[Local] = key;
                win[Local] = IW'(i);
              end
            end
          end
        end
      end

      // Drop.
      if (dead != 0) begin
        for (int unsigned i = 0; i < Chans; i++) begin
          if (dead[i]) begin
            pend_q[i] = 1'b0;
            if (!kill_q[i]) begin
              kill_q[i] = 1'b1;
              dropped_q = dropped_q + 1'b1;
              if (!drop_valid_o) begin
                flit = SplitMem != 0 ? front[SplitMem != 0 ? i : 0] :
                    mem_q[SplitMem != 0 ? 0 : i*Depth+32'(rp_q[i])];
                drop_valid_o <= 1'b1;
                drop_port_o <= out_q[i];
                drop_header_o <= flit[127:0];
              end
            end
          end
        end
      end

      // Send.
      for (int unsigned p = 0; p < Ports; p++) begin
        if (best[p] != 0) begin
          send[p] = 1'b1;
          copy = out_q[win[p]] != 3'(p);
          s = IW'(p * Vcs) + (copy ? IW'(win[p][VW-1:0]) : IW'(ovc_q[win[p]]));
          flit = SplitMem != 0 ? front[SplitMem != 0 ? win[p] : 0] :
              mem_q[SplitMem != 0 ? 0 : 32'(win[p])*Depth+32'(rp_q[win[p]])];
          flit[AtVc+:3] = 3'(s[VW-1:0]);
          if (head_q[win[p]]) flit[HeaderAgeLsb+:HeaderAgeW] = age_q[win[p]];
          flit_q[p] = flit;
          lose[win[p]] = 1'b0;
          hold_q[p] = !tail_q[win[p]];
          hold_ch_q[p] = win[p];
          rr_q[p] = win[p] + 1'b1;
          owned_q[s] = !tail_q[win[p]];
          if (copy) begin
            pendl_q[win[p]] = 1'b0;
            actl_q[win[p]] = !tail_q[win[p]];
          end else begin
            pend_q[win[p]] = 1'b0;
            act_q[win[p]] = !tail_q[win[p]];
          end
          credit_q[s] = credit_q[s] - 1'b1;
          ready_q[s] = credit_q[s] != 0;
          sent_q[s] = sent_q[s] + 1'b1;
        end
      end
      out_valid_o <= send;

      // Lost arbitration.
      if (lose != 0) begin
        for (int unsigned i = 0; i < Chans; i++) begin
          if (lose[i]) lost_q[i] = lost_q[i] + 1'b1;
        end
      end

      // Free the places of flits that are done.
      was = was & ~(pend_q | pendl_q);
      for (int unsigned p = 0; p < Ports; p++) begin
        pulse_q[p] = was[p*Vcs+:Vcs];
        if (pulse_q[p] != 0) begin
          for (int unsigned i = p * Vcs; i < (p + 1) * Vcs; i++) begin
            if (was[i]) begin
              rp_q[i] = rp_q[i] + 1'b1;
              held_q[i] = held_q[i] - 1'b1;
              fresh[i] = held_q[i] != 0;
            end
          end
        end
      end

      // Take what comes in.
      for (int unsigned p = 0; p < Ports; p++) begin
        if (in_valid_i[p]) begin
          s = IW'(p * Vcs) + IW'(in_flit_i[p][AtVc+:VW]);
          way = way_of(in_flit_i[p][HeaderRouteLsb+:HeaderRouteW], in_flit_i[p][HeaderMcastLsb],
                       in_flit_i[p][AtVc+:3], 3'(p), Local, VW, 8'(cfg_dateline_i));
          ctl.head = in_flit_i[p][AtHead];
          ctl.tail = in_flit_i[p][AtTail];
          ctl.copy = way.copy;
          ctl.out = way.out;
          ctl.vc = way.vc;
          ctl.birth = time_q[12:3] - 10'(in_flit_i[p][HeaderAgeLsb+:HeaderAgeW]);
          ctl_q[32'(s)*Depth+32'(wp_q[s])] = ctl;
          if (SplitMem == 0) begin
            mem_q[SplitMem != 0 ? 0 : 32'(s)*Depth+32'(wp_q[s])] = stored(in_flit_i[p], way.route);
          end
`ifndef SYNTHESIS
          assert (32'(held_q[s]) < Depth)
          else $error("port %0d channel %0d: flit without credit", p, in_flit_i[p][AtVc+:VW]);
`endif
          if (held_q[s] == 0) fresh[s] = 1'b1;
          held_q[s] = held_q[s] + 1'b1;
          wp_q[s] = wp_q[s] + 1'b1;
        end
      end

      // New heads of FIFOs.
      for (int unsigned p = 0; p < Ports; p++) begin
        if (fresh[p*Vcs+:Vcs] != 0) begin
          for (int unsigned i = p * Vcs; i < (p + 1) * Vcs; i++) begin
            if (fresh[i]) begin
              ctl = ctl_q[i*Depth+32'(rp_q[i])];
              head_q[i] = ctl.head;
              tail_q[i] = ctl.tail;
              if (ctl.head) begin
                out_q[i] = ctl.out;
                ovc_q[i] = ctl.vc;
                copy_q[i] = ctl.copy;
                kill_q[i] = 1'b0;
                ctl.birth = time_q[12:3] - ctl.birth;
                age_q[i] = ctl.birth > 10'(MaxAge) ? 6'(MaxAge) : ctl.birth[5:0];
              end
              pend_q[i] = 1'b1;
              pendl_q[i] = copy_q[i];
            end
          end
        end
      end

      // Credits.
      for (int unsigned p = 0; p < Ports; p++) begin
        if (out_credit_i[p] != 0) begin
          for (int unsigned v = 0; v < Vcs; v++) begin
            if (out_credit_i[p][v] && credit_q[p*Vcs+v] != (AW + 1)'(Depth)) begin
              credit_q[p*Vcs+v] = credit_q[p*Vcs+v] + 1'b1;
              ready_q[p*Vcs+v] = 1'b1;
            end
          end
        end
      end
    end

    // What the host reads.
    s = IW'(32'(cnt_sel_i[5:3]) * Vcs + 32'(cnt_sel_i[2:0]));
    unique case (cnt_sel_i[7:6])
      CntSent: cnt_value_o <= sent_q[s];
      CntWait: cnt_value_o <= wait_q[s];
      CntLost: cnt_value_o <= lost_q[s];
      default: cnt_value_o <= cnt_sel_i[0] ? cut_q : dropped_q;
    endcase
    s = IW'(32'(state_sel_i[5:3]) * Vcs + 32'(state_sel_i[2:0]));
    state_o <= {
      1'b0,
      wait_of(pendl_q[s], 1'b0, ready_q[IW'(Local*Vcs)+IW'(s[VW-1:0])],
              owned_q[IW'(Local*Vcs)+IW'(s[VW-1:0])] && !actl_q[s]),
      pendl_q[s], pend_q[s], actl_q[s], act_q[s], copy_q[s], head_q[s], age_q[s],
      wait_of(pend_q[s], kill_q[s] || !alive[out_q[s]], ready_q[IW'(32'(out_q[s])*Vcs)+IW'(ovc_q[s])],
              owned_q[IW'(32'(out_q[s])*Vcs)+IW'(ovc_q[s])] && !act_q[s]),
      ovc_q[s], out_q[s], 7'(held_q[s])
    };
  end

  for (genvar p = 0; p < Ports; p++) begin : g_out
    assign out_flit_o[p] = flit_q[p];
    assign in_credit_o[p] = pulse_q[p];
  end

`ifndef SYNTHESIS
  initial begin
    assert (Dims >= 1 && Dims <= 3) else $fatal(1, "Dims must be 1, 2 or 3");
    assert (Vcs == 2 || Vcs == 4 || Vcs == 8) else $fatal(1, "Vcs must be 2, 4 or 8");
    assert (Depth >= 4 && Depth <= 64 && (Depth & (Depth - 1)) == 0)
    else $fatal(1, "Depth must be a power of two from 4 to 64");
    assert (DataW >= 128) else $fatal(1, "DataW must be 128 or more");
  end

  // Each input channel: in the middle of a packet.
  logic [Chans-1:0] open_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < Ports; p++) begin
      if (rst_ni && in_valid_i[p]) begin
        assert (32'(in_flit_i[p][AtVc+:3]) < Vcs)
        else $error("port %0d: flit on channel %0d of %0d", p, in_flit_i[p][AtVc+:3], Vcs);
        assert (in_flit_i[p][AtHead] != open_q[IW'(p*Vcs)+IW'(in_flit_i[p][AtVc+:VW])])
        else $error("port %0d channel %0d: head expected and got body, or the reverse", p,
                    in_flit_i[p][AtVc+:VW]);
        open_q[IW'(p*Vcs)+IW'(in_flit_i[p][AtVc+:VW])] = !in_flit_i[p][AtTail];
      end
    end
    if (!rst_ni) open_q = '0;
  end
`endif
endmodule
