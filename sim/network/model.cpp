#include "network/model.h"

#include <algorithm>
#include <bit>
#include <new>
#include <stdexcept>
#include <string>

#include "network/model_router.h"

namespace ttpu::network {

using namespace model;

ModelRouters::ModelRouters(uint32_t count, ModelShape shape) : shape_(shape), count_(count) {
  if (shape.dims < 1 || shape.dims > 3)
    throw std::invalid_argument("router model: " + std::to_string(shape.dims) +
                                " dimensions, must be 1 to 3");
  if (shape.vcs != 2 && shape.vcs != 4 && shape.vcs != 8)
    throw std::invalid_argument("router model: " + std::to_string(shape.vcs) +
                                " virtual channels, must be 2, 4 or 8");
  if (shape.depth < 4 || shape.depth > kMaxDepth || !std::has_single_bit(shape.depth))
    throw std::invalid_argument("router model: depth " + std::to_string(shape.depth) +
                                ", must be a power of two, 4 to 64");
  const uint32_t ports = 2 * shape.dims + 1;
  const uint32_t slots = ports * shape.vcs * shape.depth;
  // An odd number of lines: the first lines of all routers then use all sets of a cache.
  stride_ = (sizeof(State) + slots * sizeof(Slot) + kLine - 1) / kLine * kLine | kLine;
  memory_.reset(new (std::align_val_t{kLine}) std::byte[size_t{count} * stride_]);

  State reset;
  std::fill(std::begin(reset.held), std::end(reset.held), kNobody);
  std::fill(std::begin(reset.credits), std::end(reset.credits), static_cast<uint8_t>(shape.depth));
  for (uint32_t o = 0; o < ports; ++o)
    reset.has_credit[o] = reset.is_free[o] = static_cast<uint8_t>((1U << shape.vcs) - 1);
  for (uint32_t slot = 0; slot < slots; ++slot) reset.free_slots[slot / 64] |= bit(slot % 64);
  for (uint32_t index = 0; index < count; ++index) new (&memory_[index * stride_]) State(reset);
}

ModelRouters::~ModelRouters() = default;

void ModelRouters::Release::operator()(std::byte* memory) const {
  ::operator delete[](memory, std::align_val_t{kLine});
}

model::State& ModelRouters::state(uint32_t index) const {
  return *std::launder(reinterpret_cast<State*>(&memory_[index * stride_]));
}

void ModelRouters::configure(uint32_t index, uint32_t dateline_mask, uint32_t down_mask) {
  state(index).dateline = static_cast<uint8_t>(dateline_mask);
  set_down(index, down_mask);
}

void ModelRouters::set_down(uint32_t index, uint32_t down_mask) {
  state(index).down = static_cast<uint8_t>(down_mask & ((1U << 2 * shape_.dims) - 1));
}

uint64_t ModelRouters::dropped(uint32_t index) const { return state(index).dropped; }
uint64_t ModelRouters::cut(uint32_t index) const { return state(index).cut; }

BufferState ModelRouters::buffer(uint32_t index, uint32_t port, uint32_t vc) {
  return Cycle(state(index), shape_, index).look_at(port * shape_.vcs + vc);
}

/// The states of a large network do not fit the near caches: ask for the state of the router after
/// `index`, whoever steps it, and for what the state of `index`, which is this thread's, points to.
void ModelRouters::prefetch(uint32_t index) const {
  if (index + 1 >= count_) return;
  const std::byte* const far = &memory_[(index + 1) * stride_];
  for (size_t at = 0; at < offsetof(State, free_slots) + kLine; at += kLine)
    __builtin_prefetch(far + at, 1);
  Cycle(state(index), shape_, index).prefetch();
}

void ModelRouters::step(uint32_t index, const PortInputs& in, PortOutputs& out) {
  Cycle cycle(state(index), shape_, index);
  cycle.drive(out);
  cycle.run(in);
}

}  // namespace ttpu::network
