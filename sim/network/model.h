// The router network's router, flit by flit and cycle by cycle, in plain C++: what the RTL router
// does at its ports, without its bits. Contract: docs/reference/network-model.md.
#pragma once
#include <cstddef>
#include <memory>

#include "network/router.h"

namespace ttpu::network {

namespace model {
struct State;
}

/// Shape of all routers of a network.
struct ModelShape {
  uint32_t dims = 2;    ///< 1 to 3; 2 * dims cables and the local port
  uint32_t vcs = 8;     ///< 2, 4 or 8, half of them class 0
  uint32_t depth = 16;  ///< flits of buffer a virtual channel of a port, a power of two, 4 to 64
};

/// Routers modelled in C++. The state of a router is compact, and the states lie in the order of
/// the routers' numbers: step them in that order.
class ModelRouters : public Routers {
 public:
  /// Throws std::invalid_argument for a shape that the router does not have.
  ModelRouters(uint32_t count, ModelShape shape);
  ~ModelRouters() override;
  void configure(uint32_t index, uint32_t dateline_mask, uint32_t down_mask) override;
  void set_down(uint32_t index, uint32_t down_mask) override;
  /// `out.flit[p]` is written only if bit p of `out.valid` is set. Throws std::logic_error, with
  /// router and port, if a flit comes without a credit or on a virtual channel that does not exist.
  void step(uint32_t index, const PortInputs& in, PortOutputs& out) override;
  void prefetch(uint32_t index) const override;
  uint64_t dropped(uint32_t index) const override;
  /// Packets that lost their way in their middle, when a port went down.
  uint64_t cut(uint32_t index) const;
  BufferState buffer(uint32_t index, uint32_t port, uint32_t vc) override;
  /// Bytes held for all routers.
  size_t memory() const { return count_ * stride_; }

 private:
  struct Release {
    void operator()(std::byte* memory) const;
  };
  model::State& state(uint32_t index) const;

  ModelShape shape_;
  uint32_t count_ = 0;
  size_t stride_ = 0;  ///< bytes a router: its state, then the slots of its buffers
  std::unique_ptr<std::byte[], Release> memory_;
};

}  // namespace ttpu::network
