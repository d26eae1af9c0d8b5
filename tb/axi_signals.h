// The wires of an AXI4 and an AXI4-Lite port, as references into a Verilated model.
#pragma once
#include <cstdint>
#include <type_traits>

#include "verilated.h"

namespace tb {

/// Verilator's type of a port of `Bits` bits.
template <unsigned Bits>
using PortOf = std::conditional_t<
    Bits <= 8, CData,
    std::conditional_t<
        Bits <= 16, SData,
        std::conditional_t<Bits <= 32, IData,
                           std::conditional_t<Bits <= 64, QData, VlWide<(Bits + 31) / 32>>>>>;

/// AXI4 with `Bytes` a beat, seen from the memory: *valid of AW, W, AR come from the device.
template <unsigned Bytes>
struct AxiSignals {
  using Data = PortOf<8 * Bytes>;
  using Strobe = PortOf<Bytes>;
  // write address
  const CData& awvalid;
  CData& awready;
  const QData& awaddr;
  const CData& awlen;
  const CData& awid;
  // write data
  const CData& wvalid;
  CData& wready;
  const Data& wdata;
  const Strobe& wstrb;
  const CData& wlast;
  // write response
  CData& bvalid;
  const CData& bready;
  CData& bid;
  CData& bresp;
  // read address
  const CData& arvalid;
  CData& arready;
  const QData& araddr;
  const CData& arlen;
  const CData& arid;
  // read data
  CData& rvalid;
  const CData& rready;
  Data& rdata;
  CData& rid;
  CData& rresp;
  CData& rlast;
  // present only where the device drives them
  const CData* awsize = nullptr;
  const CData* arsize = nullptr;
  const CData* awburst = nullptr;
  const CData* arburst = nullptr;
};

/// AXI4-Lite, 32 bits, seen from the master. Addr is the port type of the address.
struct AxiLiteSignals {
  CData& awvalid;
  const CData& awready;
  IData& awaddr;
  CData& wvalid;
  const CData& wready;
  IData& wdata;
  CData& wstrb;
  const CData& bvalid;
  CData& bready;
  const CData& bresp;
  CData& arvalid;
  const CData& arready;
  IData& araddr;
  const CData& rvalid;
  CData& rready;
  const IData& rdata;
  const CData& rresp;
};

// Binding by the project's port names: <prefix>awvalid_o, <prefix>awready_i, ...
#define TTPU_BIND_AXI(Bytes, m, p)                                                         \
  tb::AxiSignals<Bytes> {                                                                  \
    (m).p##awvalid_o, (m).p##awready_i, (m).p##awaddr_o, (m).p##awlen_o, (m).p##awid_o,    \
        (m).p##wvalid_o, (m).p##wready_i, (m).p##wdata_o, (m).p##wstrb_o, (m).p##wlast_o,  \
        (m).p##bvalid_i, (m).p##bready_o, (m).p##bid_i, (m).p##bresp_i, (m).p##arvalid_o,  \
        (m).p##arready_i, (m).p##araddr_o, (m).p##arlen_o, (m).p##arid_o, (m).p##rvalid_i, \
        (m).p##rready_o, (m).p##rdata_i, (m).p##rid_i, (m).p##rresp_i, (m).p##rlast_i      \
  }

// One of several ports in unpacked arrays: <prefix>awvalid_o[i], ...
#define TTPU_BIND_AXI_AT(Bytes, m, p, i)                                              \
  tb::AxiSignals<Bytes> {                                                             \
    (m).p##awvalid_o[i], (m).p##awready_i[i], (m).p##awaddr_o[i], (m).p##awlen_o[i],  \
        (m).p##awid_o[i], (m).p##wvalid_o[i], (m).p##wready_i[i], (m).p##wdata_o[i],  \
        (m).p##wstrb_o[i], (m).p##wlast_o[i], (m).p##bvalid_i[i], (m).p##bready_o[i], \
        (m).p##bid_i[i], (m).p##bresp_i[i], (m).p##arvalid_o[i], (m).p##arready_i[i], \
        (m).p##araddr_o[i], (m).p##arlen_o[i], (m).p##arid_o[i], (m).p##rvalid_i[i],  \
        (m).p##rready_o[i], (m).p##rdata_i[i], (m).p##rid_i[i], (m).p##rresp_i[i],    \
        (m).p##rlast_i[i]                                                             \
  }

// AXI4-Lite slave ports <prefix>awvalid_i, <prefix>awready_o, ...
#define TTPU_BIND_AXI_LITE(m, p)                                                               \
  tb::AxiLiteSignals {                                                                         \
    (m).p##awvalid_i, (m).p##awready_o, (m).p##awaddr_i, (m).p##wvalid_i, (m).p##wready_o,     \
        (m).p##wdata_i, (m).p##wstrb_i, (m).p##bvalid_o, (m).p##bready_i, (m).p##bresp_o,      \
        (m).p##arvalid_i, (m).p##arready_o, (m).p##araddr_i, (m).p##rvalid_o, (m).p##rready_i, \
        (m).p##rdata_o, (m).p##rresp_o                                                         \
  }

}  // namespace tb
