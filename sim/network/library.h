// Routers by name: the C++ model, or the Verilated router from a shared library.
#pragma once
#include <memory>
#include <stdexcept>
#include <string>

#include "isa/generated/ici.h"
#include "network/router.h"

namespace ttpu::network {

/// What a shared library of routers was built for.
struct RouterShape {
  uint32_t dims = 0, vcs = 0, depth = 0, data_w = 0;
  bool operator==(const RouterShape&) const = default;
};

/// What a library libttpu_net_<dims>d_<config>[_checked|_links].so exports as kRoutersSymbol:
/// `count` routers out of reset, owned by the caller; writes the shape it was built for.
using CreateRouters = Routers* (*)(uint32_t count, RouterShape* shape);
inline constexpr const char* kRoutersSymbol = "ttpu_create_routers";

/// The device is not built, or does not have such a router. what() says what to do.
struct RouterError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline constexpr uint32_t kLongestLinkedCable = 64;  ///< cycles, of "rtl-links"
/// Cycles after reset in which links of RTL come up.
inline constexpr uint64_t kLinkStart = 1500;

/// Named configuration (small, medium, full). Throws RouterError for another name.
const ici::RouterConfig& router_config(const std::string& name);

/// device: "model", "rtl", "rtl-checked" (rtl with its assertions, slower), or "rtl-links" (a link
/// of RTL on every cable; they need kLinkStart cycles to come up). Throws RouterError.
std::unique_ptr<Routers> open_routers(const std::string& device, const ici::RouterConfig& config,
                                      uint32_t dims, uint32_t count);

}  // namespace ttpu::network
