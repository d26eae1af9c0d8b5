// Router of a torus of 1 to 3 dimensions: 2 * Dims cables and the local port, Vcs virtual channels a
// port with a FIFO of Depth flits each, credits, wormhole, source routes in the header.
//
//   In at cycle t -> out at t + 2 (zero load). 1 flit a cycle in and out of every port at once; each
//   input channel is read on its own (an input port may send to several outputs in one cycle).
//   A flit that came in at t and leaves at once: in_credit_o at t + 2. out_credit_i at t counts from
//   t + 1.
//
// Output choice: the packet sent last while it has a flit and a credit; else the oldest head (age =
// header's age + wait here, in units of 32 cycles, at most 63); equal ages: network before local, then
// round robin; age 63: round robin among all. A channel of an output belongs to a packet from head
// to tail.
//
// Route: hops of the lowest leg 0 = deliver here, on the channel it came in on. Else out of port
// `dir` on class (vclass | dateline of the port), same lane; hops - 1, at 0 the next leg moves down.
//
// Multicast: on the last leg (all later ones have hops 0) a packet that came in along the leg (by
// port dir ^ 1) goes onward and then, read a second time, to the local port, with the route it went
// on with. Its places are free when it is delivered. So nobody who has a channel of the local port
// waits for the network, which keeps multicast free of deadlock; it takes that the packet fits into
// the FIFO: one with length >= Depth is dropped where it would be copied.
//
// Bad input: a leg to a port that does not exist or is down: the packet is taken, a flit a cycle, and
// counted; the header of the first one is kept until drop_clear_i. A port that goes down in the
// middle of a packet: the rest is taken and dropped, counted as cut. Credits and channels of a port
// that is down are as after reset. A flit without credit, a body without head: not allowed
// (assertions).
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
  // Elements of arrays by channel. An element for every index spares the simulation a comparison.
  localparam int unsigned Wide = SplitMem != 0 ? Chans : 1 << IW;
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
  logic [AW-1:0] wp_q[Wide];  // places to write and to read
  logic [AW-1:0] rp_q[Wide];
  logic [AW:0] held_q[Wide];  // flits to read
  logic [AW:0] again_q[Wide];  // flits before them that will be read again
  logic [Wide-1:0] pend_q;  // there is a flit
  logic [Wide-1:0] head_q, tail_q;
  logic [Wide-1:0] copy_q;  // multicast, on its way onward
  logic [Wide-1:0] back_q;  // multicast, read the second time
  logic [Wide-1:0] act_q;  // the packet owns its output channel
  logic [Wide-1:0] kill_q;  // the packet is being dropped
  logic [2:0] out_q[Wide];
  logic [2:0] ovc_q[Wide];
  logic [5:0] age_q[Wide];
  // Output channel s = port * Vcs + vc.
  logic [AW:0] credit_q[Wide];
  logic [Wide-1:0] ready_q;  // has a credit
  logic [Wide-1:0] owned_q;
  // Output ports.
  logic [FlitW-1:0] flit_q[Ports];
  logic [Ports-1:0] hold_q;  // in the middle of the packet of channel last_q
  logic [IW-1:0] last_q[Ports];
  logic [Vcs-1:0] pulse_q[Ports];  // of input ports
  logic [2*Dims-1:0] down_q;
  localparam int unsigned TimeW = 10 + AgeUnitLog2;
  logic [TimeW-1:0] time_q, now;
  assign now = time_q + 1'b1;
  // Counters.
  logic [31:0] sent_q[Wide];
  logic [31:0] wait_q[Wide];
  logic [31:0] lost_q[Wide];
  logic [31:0] dropped_q, cut_q;

  // ---- flit memory ------------------------------------------------------------------------------
  localparam int unsigned Slots = SplitMem != 0 ? 1 : Wide * Depth;
  localparam int unsigned Fronts = SplitMem != 0 ? Wide : 1;
  logic [FlitW-1:0] mem_q[Slots];
  ctl_t ctl_q[Slots];
  logic [FlitW-1:0] front[Fronts];  // flit at rp_q, and what is known of the one behind it
  ctl_t behind[Fronts];

  if (SplitMem != 0) begin : g_split
    for (genvar i = 0; i < Chans; i++) begin : g_chan
      localparam int unsigned P = i / Vcs;
      logic [FlitW-1:0] mem[Depth];
      ctl_t ctl[Depth];
      logic [AW-1:0] wp;
      logic write;
      way_t way;
      assign write = in_valid_i[P] && in_flit_i[P][AtVc+:VW] == VW'(i);
      assign way = way_of(in_flit_i[P][HeaderRouteLsb+:HeaderRouteW], in_flit_i[P][HeaderMcastLsb],
                          in_flit_i[P][HeaderLengthLsb+:HeaderLengthW], in_flit_i[P][AtVc+:3],
                          3'(P), Local, Depth, VW, 8'(cfg_dateline_i));
      always_ff @(posedge clk_i) begin
        if (!rst_ni) wp <= '0;
        else if (write) wp <= wp + 1'b1;
      end
      always_ff @(posedge clk_i) begin
        if (write) begin
          mem[wp] <= stored(in_flit_i[P], way.route);
          ctl[wp] <= ctl_of(in_flit_i[P][AtHead], in_flit_i[P][AtTail], way,
                            in_flit_i[P][HeaderAgeLsb+:HeaderAgeW], now[AgeUnitLog2+:10]);
        end
      end
      assign front[i] = mem[rp_q[i]];
      assign behind[i] = ctl[rp_q[i] + 1'b1];
    end
    for (genvar i = Chans; i < Wide; i++) begin : g_none
      assign front[i] = '0;
      assign behind[i] = '0;
    end
  end else begin : g_flat
    assign front[0] = '0;
    assign behind[0] = '0;
  end

  // ---- everything else --------------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    logic [7:0] alive;
    logic [Wide-1:0] dead, lose, moved, fresh;
    logic [Wide-1:0] want[8];  // of an output: channels that can go there
    logic [8:0] key, best;
    logic [IW-1:0] win, s;
    logic [Vcs-1:0] gone;
    logic [Ports-1:0] send;
    logic [FlitW-1:0] flit;
    logic [AW-1:0] rp;
    way_t way;
    ctl_t ctl;
    ctl_t next[Wide];  // of new heads of FIFOs

    alive = 8'({1'b1, ~cfg_down_i});
    if (!rst_ni) begin
      for (int unsigned i = 0; i < Chans; i++) begin
        wp_q[i] = '0;
        rp_q[i] = '0;
        held_q[i] = '0;
        again_q[i] = '0;
        credit_q[i] = (AW + 1)'(Depth);
        sent_q[i] = '0;
        wait_q[i] = '0;
        lost_q[i] = '0;
        out_q[i] = NoPort;
        ovc_q[i] = '0;
        age_q[i] = '0;
      end
      for (int unsigned p = 0; p < Ports; p++) begin
        last_q[p] = '0;
        pulse_q[p] = '0;
      end
      pend_q = '0;
      back_q = '0;
      act_q = '0;
      kill_q = '0;
      ready_q = '1;
      owned_q = '0;
      hold_q = '0;
      down_q = '0;
      time_q <= '0;
      dropped_q = '0;
      cut_q = '0;
      out_valid_o <= '0;
      drop_valid_o <= 1'b0;
    end else begin
      dead = '0;
      lose = '0;
      moved = '0;
      fresh = '0;
      if (drop_clear_i) drop_valid_o <= 1'b0;

      // Age, in units of 32 cycles.
      time_q <= now;
      if (now[AgeUnitLog2-1:0] == 0 && (pend_q | act_q | kill_q) != 0) begin
        for (int unsigned i = 0; i < Chans; i++) begin
          if (age_q[i] != 6'(MaxAge)) age_q[i] = age_q[i] + 1'b1;
        end
      end

      // A port that goes down: packets on their way through it are cut.
      if ((cfg_down_i & ~down_q) != 0) begin
        for (int unsigned i = 0; i < Chans; i++) begin
          if (act_q[i] && !alive[out_q[i]]) begin
            act_q[i] = 1'b0;
            kill_q[i] = 1'b1;
            cut_q = cut_q + 1'b1;
          end
        end
      end
      down_q = cfg_down_i;

      // Requests.
      for (int unsigned o = 0; o < 8; o++) want[o] = '0;
      for (int unsigned p = 0; p < Ports; p++) begin
        if (pend_q[p*Vcs+:Vcs] != 0) begin
          for (int unsigned i = p * Vcs; i < (p + 1) * Vcs; i++) begin
            if (pend_q[i]) begin
              s = IW'(32'(out_q[i]) << VW) | IW'(ovc_q[i]);
              if (kill_q[i] || !alive[out_q[i]]) begin
                dead[i] = 1'b1;
              end else if (!ready_q[s] || (owned_q[s] && !act_q[i])) begin
                wait_q[i] = wait_q[i] + 1'b1;
              end else begin
                want[out_q[i]][i] = 1'b1;
                lose[i] = 1'b1;
              end
            end
          end
        end
      end

      // Choose and send.
      for (int unsigned p = 0; p < Ports; p++) begin
        gone = '0;
        send[p] = want[p] != 0;
        if (want[p] != 0) begin
          win = last_q[p];
          if (!hold_q[p] || !want[p][win]) begin
            best = '0;
            for (int unsigned q = 0; q < Ports; q++) begin
              if (want[p][q*Vcs+:Vcs] != 0) begin
                for (int unsigned i = q * Vcs; i < (q + 1) * Vcs; i++) begin
                  if (want[p][i]) begin
                    key = {1'b1, age_q[i], q != Local || age_q[i] == 6'(MaxAge),
                           IW'(i) > last_q[p]};
                    if (key > best) begin
                      best = key;
                      win = IW'(i);
                    end
                  end
                end
              end
            end
          end
          flit = SplitMem != 0 ? front[SplitMem != 0 ? win : 0] :
              mem_q[SplitMem != 0 ? 0 : 32'(win)<<AW|32'(rp_q[win])];
          flit[AtVc+:3] = ovc_q[win];
          if (head_q[win]) flit[HeaderAgeLsb+:HeaderAgeW] = age_q[win];
          flit_q[p] = flit;
          moved[win] = 1'b1;
          hold_q[p] = !tail_q[win];
          last_q[p] = win;
          gone[ovc_q[win][VW-1:0]] = 1'b1;
          if (tail_q[win]) owned_q[p*Vcs+:Vcs] = owned_q[p*Vcs+:Vcs] & ~gone;
          else owned_q[p*Vcs+:Vcs] = owned_q[p*Vcs+:Vcs] | gone;
        end
        // Credits.
        if ((gone | out_credit_i[p]) != 0) begin
          for (int unsigned v = 0; v < Vcs; v++) begin
            if (gone[v]) sent_q[p*Vcs+v] = sent_q[p*Vcs+v] + 1'b1;
            if (gone[v] != out_credit_i[p][v]) begin
              if (gone[v]) credit_q[p*Vcs+v] = credit_q[p*Vcs+v] - 1'b1;
              else if (credit_q[p*Vcs+v] != (AW + 1)'(Depth))
                credit_q[p*Vcs+v] = credit_q[p*Vcs+v] + 1'b1;
              ready_q[p*Vcs+v] = credit_q[p*Vcs+v] != 0;
            end
          end
        end
        if (!alive[p]) begin
          for (int unsigned v = 0; v < Vcs; v++) credit_q[p*Vcs+v] = (AW + 1)'(Depth);
          ready_q[p*Vcs+:Vcs] = '1;
          owned_q[p*Vcs+:Vcs] = '0;
          hold_q[p] = 1'b0;
        end
      end
      out_valid_o <= send;
      act_q = (act_q & ~moved) | (moved & ~tail_q);
      lose = lose & ~moved;
      for (int unsigned p = 0; p < Ports; p++) begin
        if (lose[p*Vcs+:Vcs] != 0) begin
          for (int unsigned i = p * Vcs; i < (p + 1) * Vcs; i++) begin
            if (lose[i]) lost_q[i] = lost_q[i] + 1'b1;
          end
        end
      end

      // Drop.
      if (dead != 0) begin
        for (int unsigned i = 0; i < Chans; i++) begin
          if (dead[i] && !kill_q[i]) begin
            kill_q[i] = 1'b1;
            dropped_q = dropped_q + 1'b1;
            if (!drop_valid_o) begin
              flit = SplitMem != 0 ? front[SplitMem != 0 ? i : 0] :
                  mem_q[SplitMem != 0 ? 0 : (i<<AW)|32'(rp_q[i])];
              drop_valid_o <= 1'b1;
              drop_port_o <= out_q[i];
              drop_header_o <= flit[127:0];
            end
          end
        end
        moved = moved | dead;
      end

      // Go on behind the flits that went; those of a multicast stay for the second time.
      pend_q = pend_q & ~moved;
      for (int unsigned p = 0; p < Ports; p++) begin
        pulse_q[p] = moved[p*Vcs+:Vcs] & ~copy_q[p*Vcs+:Vcs];
        if (moved[p*Vcs+:Vcs] != 0) begin
          for (int unsigned i = p * Vcs; i < (p + 1) * Vcs; i++) begin
            if (moved[i]) begin
              rp = rp_q[i] + 1'b1;
              next[i] = SplitMem != 0 ? behind[SplitMem != 0 ? i : 0] :
                  ctl_q[SplitMem != 0 ? 0 : (i<<AW)|32'(rp)];
              rp_q[i] = rp;
              held_q[i] = held_q[i] - 1'b1;
              fresh[i] = held_q[i] != 0;
              if (tail_q[i]) back_q[i] = 1'b0;
              if (copy_q[i]) begin
                again_q[i] = again_q[i] + 1'b1;
                if (tail_q[i]) begin
                  rp_q[i] = rp - again_q[i][AW-1:0];
                  held_q[i] = held_q[i] + again_q[i];
                  next[i] = '{head: 1'b1, tail: again_q[i] == 1, copy: 1'b0, out: 3'(Local),
                              vc: 3'(i % Vcs), birth: '0};
                  again_q[i] = '0;
                  fresh[i] = 1'b1;
                  back_q[i] = 1'b1;
                end
              end
            end
          end
        end
      end

      // Take what comes in.
      for (int unsigned p = 0; p < Ports; p++) begin
        if (in_valid_i[p]) begin
          s = IW'(p * Vcs) | IW'(in_flit_i[p][AtVc+:VW]);
          way = way_of(in_flit_i[p][HeaderRouteLsb+:HeaderRouteW], in_flit_i[p][HeaderMcastLsb],
                       in_flit_i[p][HeaderLengthLsb+:HeaderLengthW], in_flit_i[p][AtVc+:3],
                       3'(p), Local, Depth, VW, 8'(cfg_dateline_i));
          ctl = ctl_of(in_flit_i[p][AtHead], in_flit_i[p][AtTail], way,
                       in_flit_i[p][HeaderAgeLsb+:HeaderAgeW], now[AgeUnitLog2+:10]);
          if (SplitMem == 0) begin
            ctl_q[SplitMem != 0 ? 0 : 32'(s)<<AW|32'(wp_q[s])] = ctl;
            mem_q[SplitMem != 0 ? 0 : 32'(s)<<AW|32'(wp_q[s])] = stored(in_flit_i[p], way.route);
          end
`ifndef SYNTHESIS
          assert (32'(held_q[s]) + 32'(again_q[s]) < Depth)
          else $error("port %0d channel %0d: flit without credit", p, in_flit_i[p][AtVc+:VW]);
`endif
          if (held_q[s] == 0) begin
            next[s] = ctl;
            fresh[s] = 1'b1;
          end
          held_q[s] = held_q[s] + 1'b1;
          wp_q[s] = wp_q[s] + 1'b1;
        end
      end

      // New heads of FIFOs.
      for (int unsigned p = 0; p < Ports; p++) begin
        if (fresh[p*Vcs+:Vcs] != 0) begin
          for (int unsigned i = p * Vcs; i < (p + 1) * Vcs; i++) begin
            if (fresh[i]) begin
              ctl = next[i];
              head_q[i] = ctl.head;
              tail_q[i] = ctl.tail;
              if (ctl.head) begin
                out_q[i] = ctl.out;
                ovc_q[i] = ctl.vc;
                copy_q[i] = ctl.copy;
                kill_q[i] = 1'b0;
                ctl.birth = now[AgeUnitLog2+:10] - ctl.birth;
                if (!back_q[i]) age_q[i] = ctl.birth > 10'(MaxAge) ? 6'(MaxAge) : ctl.birth[5:0];
              end
            end
          end
        end
      end
      pend_q = pend_q | fresh;
    end

    // What the host reads.
    s = IW'(32'(cnt_sel_i[5:3]) << VW | 32'(cnt_sel_i[2:0]));
    unique case (cnt_sel_i[7:6])
      CntSent: cnt_value_o <= sent_q[s];
      CntWait: cnt_value_o <= wait_q[s];
      CntLost: cnt_value_o <= lost_q[s];
      default: cnt_value_o <= cnt_sel_i[0] ? cut_q : dropped_q;
    endcase
    win = IW'(32'(state_sel_i[5:3]) << VW | 32'(state_sel_i[2:0]));
    s = IW'(32'(out_q[win]) << VW) | IW'(ovc_q[win]);
    state_o <= {
      4'd0, pend_q[win], act_q[win], back_q[win], copy_q[win], head_q[win], kill_q[win], age_q[win],
      wait_of(pend_q[win], kill_q[win] || !alive[out_q[win]], ready_q[s], owned_q[s] && !act_q[win]),
      ovc_q[win], out_q[win], 7'(held_q[win]) + 7'(again_q[win])
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
  logic [Wide-1:0] open_q;
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
