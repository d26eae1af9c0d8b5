// A model with its size: tests typed by models of one module in several sizes.
#pragma once

namespace tb {

/// `Model`, a Verilated one, that is built for size `N`.
template <class Model, unsigned N>
struct Sized : Model {
  using Model::Model;
  static constexpr unsigned kSize = N;
};

}  // namespace tb
