// Lowering of Im2col and Transpose: what the DMA has to copy from where.
#include <algorithm>
#include <array>

#include "compiler/lower.h"

namespace ttpu::compiler {

using ir::Node;

/// Check what the DMA's descriptors can hold, and append.
void Lowerer::push_gather(const Node& n, Kernel k, int source, Dtype type) {
  const ir::Tensor& y = g_.tensors[n.outputs[0]];
  const Gather& g = k.gather;
  k.kind = KernelKind::Gather;
  k.name = n.name;
  k.m = y.rows();
  k.n = y.cols();
  k.nodes = {source_name(n)};
  k.a.tensor = source;
  const auto limit = [&](const char* what, int64_t value, int64_t most) {
    if (value > most)
      fail(n, std::string(what) + " is " + std::to_string(value) +
                  "; the DMA's descriptors hold at most " + std::to_string(most));
  };
  limit("the height of the result", g.height, 65535);
  limit("the width of the result", g.width, 65535);
  limit("the number of elements in a row", g.inner, 65535);
  limit("the distance of two lines in bytes", g.oy_stride, (1 << 27) - 1);
  limit("the distance of two pixels in bytes", g.ox_stride, (1 << 27) - 1);
  limit("the distance of two elements in bytes", g.inner_stride, (1 << 27) - 1);
  const int64_t pitch = g.rows * (k.n + config_.n) * size_of(type);
  limit("the rows of a pixel in bytes", pitch, (1 << 23) - 1);
  limit("a line of the result in bytes", g.width * pitch, (1 << 23) - 1);
  k.out = new_storage(y.name, type, k.m, k.n);
  push(std::move(k), n.outputs[0]);
}

namespace {
/// For a maximum: the border holds what no maximum takes.
void describe_pixel_rows(Kernel& k, Dtype type) {
  k.gather.fill = type == Dtype::S8     ? 0x80808080u
                  : type == Dtype::U8   ? 0u
                  : type == Dtype::BF16 ? 0xff80ff80u
                                        : 0xff800000u;
  k.notes.push_back("a row for each pixel that an output pixel reads, in " +
                    std::to_string(k.gather.pieces.size()) + " strided DMA transfers a block");
  if (k.gather.filled)
    k.notes.push_back("pads hold the least value: the VPU fills the block before the DMA");
}
}  // namespace

/// One piece for each line of the kernel and each range of output pixels that reads the same part
/// of it: three ranges with a border of one pixel, one without.
void Lowerer::lower_im2col(const Node& n) {
  const ir::Tensor& y = g_.tensors[n.outputs[0]];
  const bool floating = ir::is_float(y.type) && !n.pixel_rows;
  if (ir::is_float(y.type)) check_type(n, Dtype::BF16);
  const int source = floating ? as_bf16(n, n.inputs[0], true) : storage_of(n, n.inputs[0]);
  const Dtype type = out_.storage[static_cast<size_t>(source)].type;
  const auto& x = g_.tensors[n.inputs[0]].shape;
  const int64_t h = x[1], w = x[2], size = size_of(type), pixel = x[3] * size;
  Kernel k;
  Gather& g = k.gather;
  g.images = y.shape[0];
  g.height = y.shape[1];
  g.width = y.shape[2];
  g.rows = n.pixel_rows ? y.shape[3] : 1;
  g.oy_stride = n.strides[0] * w * pixel;
  g.ox_stride = n.strides[1] * pixel;
  g.image_stride = h * w * pixel;
  const int64_t top = n.pads[0], left = n.pads[1];
  // Pixels of one line of the kernel that lie inside the image, for output pixel ox.
  const auto inside = [&](int64_t ox) {
    const int64_t first = ox * n.strides[1] - left;
    const int64_t begin = std::max<int64_t>(0, -first);
    return std::pair{begin, std::max(begin, std::min(n.kernel[1], w - first))};
  };
  std::vector<GatherPiece> ranges;  // of output pixels, for any line of the kernel
  for (int64_t ox = 0; ox < std::min<int64_t>(g.width, 65536); ox = ranges.back().ox_end) {
    const auto [begin, end] = inside(ox);
    GatherPiece p;
    p.ox_begin = ox;
    for (p.ox_end = ox + 1; p.ox_end < g.width && inside(p.ox_end) == std::pair{begin, end};)
      ++p.ox_end;
    p.source = (begin - left) * pixel;
    p.column = begin * pixel;
    p.run = (end - begin) * pixel;
    ranges.push_back(p);
  }
  const int64_t most = 2 * n.kernel[0] * (n.pixel_rows ? n.kernel[1] : 1);
  if (static_cast<int64_t>(ranges.size()) * most > static_cast<int64_t>(config_.imem_words))
    fail(n, "a kernel of " + std::to_string(n.kernel[0]) + " lines with " +
                std::to_string(ranges.size()) +
                " different parts of a line takes more instructions than configuration " +
                std::string(config_.name) + " has");
  int64_t covered = 0;
  for (int64_t ky = 0; ky < n.kernel[0]; ++ky) {
    GatherPiece p;
    const int64_t s = n.strides[0], above = top - ky;  // line oy reads oy * s - above
    p.oy_begin = above > 0 ? (above + s - 1) / s : 0;
    p.oy_end = h - 1 + above < 0 ? 0 : std::min(g.height, (h - 1 + above) / s + 1);
    if (p.oy_begin >= p.oy_end) continue;
    for (const GatherPiece& range : ranges) {
      if (range.run == 0) continue;
      p.ox_begin = range.ox_begin;
      p.ox_end = range.ox_end;
      p.source = (ky - top) * w * pixel + range.source;
      covered += (p.oy_end - p.oy_begin) * (p.ox_end - p.ox_begin) * range.run;
      if (!n.pixel_rows) {
        p.column = ky * n.kernel[1] * pixel + range.column;
        p.run = range.run;
        g.pieces.push_back(p);
        continue;
      }
      for (int64_t i = 0; i < range.run / pixel; ++i) {
        p.row = ky * n.kernel[1] + range.column / pixel + i;
        p.run = pixel;
        g.pieces.push_back(p);
        p.source += pixel;
      }
    }
  }
  g.filled = covered != g.height * g.width * n.kernel[0] * n.kernel[1] * pixel;
  if (n.pixel_rows) {
    describe_pixel_rows(k, type);
    return push_gather(n, std::move(k), source, type);
  }
  g.fill = 0x01010101u * static_cast<uint8_t>(n.pad_value);
  k.notes.push_back("each row holds what one output pixel reads: kernel " +
                    std::to_string(n.kernel[0]) + "x" + std::to_string(n.kernel[1]) +
                    ", channels innermost, in " + std::to_string(g.pieces.size()) +
                    " strided DMA transfers a block");
  if (g.filled)
    k.notes.push_back("pads " + std::to_string(n.pads[0]) + "," + std::to_string(n.pads[1]) + "," +
                      std::to_string(n.pads[2]) + "," + std::to_string(n.pads[3]) +
                      " (top, left, bottom, right) hold the input's zero point " +
                      std::to_string(n.pad_value) + ": the VPU fills the block before the DMA");
  push_gather(n, std::move(k), source, type);
}

void Lowerer::lower_max_rows(const Node& n) {
  const ir::Tensor& y = g_.tensors[n.outputs[0]];
  Kernel k;
  k.kind = KernelKind::Map;
  k.name = n.name;
  k.m = y.rows();
  k.n = y.cols();
  k.nodes = {source_name(n)};
  k.fold = g_.tensors[n.inputs[0]].shape[3];
  k.a.tensor = storage_of(n, n.inputs[0]);
  const Dtype type = out_.storage[static_cast<size_t>(k.a.tensor)].type;
  if (k.fold > 32768 || k.fold * (k.n + config_.n) * size_of(type) >= 1 << 19)
    fail(n, "a kernel of " + std::to_string(k.fold) + " pixels is too large for the vector unit");
  k.chain.fp = is_float(type);
  k.out = new_storage(y.name, type, k.m, k.n);
  k.notes.push_back("maximum over " + std::to_string(k.fold) + " rows in the VPU's row reduction");
  push(std::move(k), n.outputs[0]);
}

void Lowerer::lower_transpose(const Node& n) {
  const auto& x = g_.tensors[n.inputs[0]].shape;
  const auto& y = g_.tensors[n.outputs[0]].shape;
  const int source = storage_of(n, n.inputs[0]);
  const Dtype type = out_.storage[static_cast<size_t>(source)].type;
  const int64_t size = size_of(type);
  Kernel k;
  Gather& g = k.gather;
  // Distances in the source of the result's last three dimensions.
  const std::array<int64_t, 3> stride = n.channels_last
                                            ? std::array<int64_t, 3>{x[3], 1, x[2] * x[3]}
                                            : std::array<int64_t, 3>{1, x[2] * x[3], x[3]};
  g.images = y[0];
  g.height = y[1];
  g.width = y[2];
  g.inner = y[3];
  g.oy_stride = stride[0] * size;
  g.ox_stride = stride[1] * size;
  g.inner_stride = stride[2] * size;
  g.image_stride = y[1] * y[2] * y[3] * size;
  GatherPiece p;
  p.oy_end = g.height;
  p.ox_end = g.width;
  p.run = size;
  g.pieces.push_back(p);
  k.notes.push_back(n.channels_last
                        ? "channels become the last dimension, element by element in the DMA"
                        : "channels go back before the pixels (ONNX's order), element by element "
                          "in the DMA");
  push_gather(n, std::move(k), source, type);
}

}  // namespace ttpu::compiler
