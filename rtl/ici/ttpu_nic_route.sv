// Route of a packet: from a table that the host loads, or by dimension order.
// A destination in at cycle t (valid_i), its route out at t + 4 (ok_o, route_o), one a cycle,
// without back-pressure. ok_o = 0: there is no route. dest == cfg_id_i gives route 0 in both modes.
// Table (cfg_native_i = 0): row dest of TableNodes rows; a row not valid or a dest beyond the table
// is no route. Rows change by tab_we_i while tab_ready_o is high; it is low for TableNodes cycles
// after reset, in which every row becomes not valid and no destination has a route.
// Dimension order (cfg_native_i = 1): x, y, z on a torus of cfg_size_i (1 to 30 each), by the
// shorter way; at half a ring an odd coordinate goes down, an even one up; a leg that crosses the
// wrap starts in class 0, another in the class of a hash of both nodes. A dest beyond the sizes is
// no route.
// cfg_* are levels; while they change, routes of packets on their way are not defined.
module ttpu_nic_route
  import ttpu_ici_pkg::*;
#(
  parameter int unsigned TableNodes = 64,  // rows of the table, a power of two, 2 to 16384
  parameter int unsigned Native = 1,       // 0: no dimension order, cfg_native_i is ignored
  localparam int unsigned RowW = $clog2(TableNodes)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  // configuration
  input  logic                    cfg_native_i,
  input  logic [HeaderDestW-1:0]  cfg_id_i,     // this node
  input  logic [14:0]             cfg_coord_i,  // its coordinates, {z, y, x} of 5 bits
  input  logic [14:0]             cfg_size_i,   // sizes, {z, y, x}; a dimension not there: 1
  // table
  input  logic                    tab_we_i,
  output logic                    tab_ready_o,
  input  logic [HeaderDestW-1:0]  tab_dest_i,
  input  logic                    tab_valid_i,
  input  logic [HeaderRouteW-1:0] tab_route_i,
  // look-up
  input  logic                    valid_i,
  input  logic [HeaderDestW-1:0]  dest_i,
  output logic                    ok_o,
  output logic [HeaderRouteW-1:0] route_o
);
  // ---- table: one row read, one written a cycle ----------------------------------------------
  logic [HeaderRouteW:0] table_q [TableNodes];
  logic [HeaderRouteW:0] row_q;
  logic [RowW:0]         clear_q;  // the row that is cleared; TableNodes when all are

  assign tab_ready_o = clear_q[RowW];

  // ---- stages --------------------------------------------------------------------------------
  logic [2:0]             valid_q;  // a destination in stage 0, 1, 2
  logic [HeaderDestW-1:0] dest0_q, dest1_q;
  logic                   self2_q, inside2_q;
  logic                   native_ok;
  logic [HeaderRouteW-1:0] native_route;

  always_ff @(posedge clk_i) begin
    if (!clear_q[RowW]) begin
      table_q[clear_q[RowW-1:0]] <= '0;
    end else if (tab_we_i && 32'(tab_dest_i) < TableNodes) begin
      table_q[tab_dest_i[RowW-1:0]] <= {tab_valid_i, tab_route_i};
    end
    if (valid_q[1]) row_q <= table_q[dest1_q[RowW-1:0]];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) clear_q <= '0;
    else if (!clear_q[RowW]) clear_q <= clear_q + 1'b1;
    valid_q <= rst_ni ? {valid_q[1:0], valid_i} : '0;
    if (valid_i) dest0_q <= dest_i;
    if (valid_q[0]) dest1_q <= dest0_q;
    if (valid_q[1]) begin
      self2_q <= dest1_q == cfg_id_i;
      inside2_q <= 32'(dest1_q) < TableNodes && clear_q[RowW];
    end
    if (valid_q[2]) begin
      if (self2_q) begin
        ok_o <= 1'b1;
        route_o <= '0;
      end else if (Native != 0 && cfg_native_i) begin
        ok_o <= native_ok;
        route_o <= native_route;
      end else begin
        ok_o <= row_q[HeaderRouteW] && inside2_q;
        route_o <= row_q[HeaderRouteW-1:0];
      end
    end
  end

  // ---- dimension order -----------------------------------------------------------------------
  if (Native != 0) begin : gen_native
    // Division by a size is multiplication by ceil(2^19 / size): exact for dividends below 2^14.
    localparam int unsigned RecipW = 20;

    function automatic logic [RecipW-1:0] reciprocal(logic [4:0] size);
      logic [RecipW-1:0] result;
      result = '0;
      for (int unsigned s = 1; s < 32; s++) begin
        if (size == 5'(s)) result = RecipW'((524288 + s - 1) / s);
      end
      return result;
    endfunction

    function automatic logic [HeaderDestW-1:0] quotient(logic [HeaderDestW-1:0] n,
                                                        logic [RecipW-1:0] recip);
      logic [HeaderDestW+RecipW-1:0] product;
      product = (HeaderDestW + RecipW)'(n) * (HeaderDestW + RecipW)'(recip);
      return HeaderDestW'(product >> 19);
    endfunction

    // n - q * size, which is below 32
    function automatic logic [4:0] remainder(logic [HeaderDestW-1:0] n, logic [HeaderDestW-1:0] q,
                                             logic [4:0] size);
      return 5'(n - HeaderDestW'(q * HeaderDestW'(size)));
    endfunction

    // The leg from coordinate c to t on a ring of `size` nodes; hops 0 = none.
    function automatic leg_t ring_leg(logic [4:0] c, logic [4:0] t, logic [4:0] size,
                                      logic [1:0] dim, logic hash);
      logic [4:0] up, down;
      logic       go_up, wraps;
      leg_t       leg;
      up = t >= c ? t - c : t - c + size;
      down = size - up;
      go_up = up < down || (up == down && !c[0]);
      wraps = go_up ? t < c : t > c;
      leg.dir = {dim, !go_up};
      leg.hops = 4'(go_up ? up : down);
      if (up == '0) leg.hops = '0;
      leg.vclass = !wraps && hash;
      return leg;
    endfunction

    logic [RecipW-1:0]      recip_x_q, recip_y_q;  // of levels
    logic [4:0]             size_q [2];            // the sizes that they belong to
    logic [HeaderDestW-1:0] rest0_q, rest1_q, z1_q;
    logic [2:0]             hash0, hash_q;
    logic [4:0]             x1_q;
    leg_t                   leg_x_q, leg_y_q, leg_z_q;
    logic                   ok_q;
    logic [4:0]             y1;

    assign y1 = remainder(rest1_q, z1_q, cfg_size_i[9:5]);
    assign hash0 = cfg_id_i[2:0] ^ cfg_id_i[5:3] ^ cfg_id_i[8:6]
                   ^ dest0_q[2:0] ^ dest0_q[5:3] ^ dest0_q[8:6];

    always_ff @(posedge clk_i) begin
      if (size_q[0] != cfg_size_i[4:0] || !rst_ni) begin
        size_q[0] <= cfg_size_i[4:0];
        recip_x_q <= reciprocal(cfg_size_i[4:0]);
      end
      if (size_q[1] != cfg_size_i[9:5] || !rst_ni) begin
        size_q[1] <= cfg_size_i[9:5];
        recip_y_q <= reciprocal(cfg_size_i[9:5]);
      end
      if (valid_i) rest0_q <= quotient(dest_i, recip_x_q);
      if (valid_q[0]) begin
        x1_q <= remainder(dest0_q, rest0_q, cfg_size_i[4:0]);
        rest1_q <= rest0_q;
        z1_q <= quotient(rest0_q, recip_y_q);
        hash_q <= hash0;
      end
      if (valid_q[1]) begin
        ok_q <= z1_q < HeaderDestW'(cfg_size_i[14:10]);
        leg_x_q <= ring_leg(cfg_coord_i[4:0], x1_q, cfg_size_i[4:0], 2'd0, hash_q[0]);
        leg_y_q <= ring_leg(cfg_coord_i[9:5], y1, cfg_size_i[9:5], 2'd1, hash_q[1]);
        leg_z_q <= ring_leg(cfg_coord_i[14:10], z1_q[4:0], cfg_size_i[14:10], 2'd2, hash_q[2]);
      end
    end

    always_comb begin
      native_route = '0;
      if (leg_z_q.hops != '0) native_route = HeaderRouteW'(leg_z_q);
      if (leg_y_q.hops != '0) native_route = native_route << LegW | HeaderRouteW'(leg_y_q);
      if (leg_x_q.hops != '0) native_route = native_route << LegW | HeaderRouteW'(leg_x_q);
    end
    assign native_ok = ok_q;
  end else begin : gen_table_only
    assign native_ok = 1'b0;
    assign native_route = '0;
  end

`ifndef SYNTHESIS
  initial assert (TableNodes >= 2 && TableNodes <= 16384 && TableNodes == 1 << RowW)
  else $fatal(1, "ttpu_nic_route: TableNodes must be a power of two, 2 to 16384");
  always_ff @(posedge clk_i) if (rst_ni && Native != 0 && cfg_native_i && valid_i) begin
    for (int unsigned d = 0; d < 3; d++) begin
      assert (cfg_size_i[5*d+:5] >= 5'd1 && cfg_size_i[5*d+:5] <= 5'd30
              && cfg_coord_i[5*d+:5] < cfg_size_i[5*d+:5])
      else $error("ttpu_nic_route: size or coordinate of dimension %0d is not possible", d);
    end
  end
`endif
endmodule
