// Image to and from bytes.
#include <fmt/format.h>
#include <zlib.h>

#include <cstring>
#include <set>

#include "runtime/image.h"
#include "runtime/image_format.h"

namespace ttpu {

using format::Section;

namespace {

uint32_t crc_of(std::span<const uint8_t> bytes) {
  return static_cast<uint32_t>(::crc32_z(0, bytes.data(), bytes.size()));
}

// ---- writing
// -------------------------------------------------------------------------------------

using Bytes = std::vector<uint8_t>;

/// Append the low `count` bytes of a number.
void put(Bytes& out, uint64_t value, int count) {
  for (int i = 0; i < count; ++i) out.push_back(static_cast<uint8_t>(value >> 8 * i));
}
void put_text(Bytes& out, const std::string& text) {
  out.insert(out.end(), text.begin(), text.end());
}

Bytes tensor_bytes(const TensorDesc& t) {
  Bytes out;
  put(out, t.name.size(), 4);
  put_text(out, t.name);
  put(out, static_cast<uint32_t>(t.type), 4);
  put(out, t.shape.size(), 4);
  for (const uint32_t dim : t.shape) put(out, dim, 4);
  put(out, t.hbm_addr, 8);
  put(out, t.row_pitch, 8);
  uint32_t scale;
  std::memcpy(&scale, &t.scale, 4);
  put(out, scale, 4);
  put(out, static_cast<uint32_t>(t.zero_point), 4);
  return out;
}

// ---- reading
// -------------------------------------------------------------------------------------

/// A cursor over bytes that never leaves them.
class Reader {
 public:
  Reader(std::span<const uint8_t> bytes, const char* what) : bytes_(bytes), what_(what) {}
  uint64_t number(int count) {
    const auto part = take(static_cast<size_t>(count));
    uint64_t value = 0;
    for (int i = 0; i < count; ++i) value |= static_cast<uint64_t>(part[i]) << 8 * i;
    return value;
  }
  uint32_t u32() { return static_cast<uint32_t>(number(4)); }
  std::string text(size_t count) {
    const auto part = take(count);
    return {part.begin(), part.end()};
  }
  std::span<const uint8_t> rest() { return take(bytes_.size() - at_); }
  size_t left() const { return bytes_.size() - at_; }
  void finish() const {
    if (left() != 0) throw ImageError(fmt::format("{}: {} bytes too many", what_, left()));
  }

 private:
  std::span<const uint8_t> take(size_t count) {
    if (count > left())
      throw ImageError(fmt::format("{}: ends {} bytes early", what_, count - left()));
    const auto part = bytes_.subspan(at_, count);
    at_ += count;
    return part;
  }
  std::span<const uint8_t> bytes_;
  const char* what_;
  size_t at_ = 0;
};

TensorDesc parse_tensor(std::span<const uint8_t> bytes, const char* what) {
  Reader in(bytes, what);
  TensorDesc t;
  const uint32_t length = in.u32();
  if (length > format::kMaxName)
    throw ImageError(fmt::format("{}: a name of {} characters", what, length));
  t.name = in.text(length);
  const uint32_t type = in.u32();
  if (type > static_cast<uint32_t>(TensorType::F32))
    throw ImageError(fmt::format("{} '{}': unknown element type {}", what, t.name, type));
  t.type = static_cast<TensorType>(type);
  const uint32_t rank = in.u32();
  if (rank > format::kMaxRank)
    throw ImageError(
        fmt::format("{} '{}': rank {} is over {}", what, t.name, rank, format::kMaxRank));
  for (uint32_t i = 0; i < rank; ++i) t.shape.push_back(in.u32());
  t.hbm_addr = in.number(8);
  t.row_pitch = in.number(8);
  const uint32_t scale = in.u32();
  std::memcpy(&t.scale, &scale, 4);
  t.zero_point = static_cast<int32_t>(in.u32());
  in.finish();
  return t;
}

void parse_section(Image& image, Section kind, std::span<const uint8_t> bytes) {
  switch (kind) {
    case Section::CONFIG_NAME:
      if (bytes.size() > format::kMaxName) throw ImageError("configuration name is too long");
      image.config_name.assign(bytes.begin(), bytes.end());
      return;
    case Section::CODE: {
      if (bytes.size() % 16 != 0)
        throw ImageError(fmt::format("code has {} bytes, not a multiple of 16", bytes.size()));
      Reader in(bytes, "code");
      image.code.resize(bytes.size() / 16);
      for (auto& instr : image.code)
        for (auto& word : instr.words) word = in.u32();
      return;
    }
    case Section::SMEM: {
      if (bytes.size() % 4 != 0)
        throw ImageError(fmt::format("SMEM has {} bytes, not a multiple of 4", bytes.size()));
      Reader in(bytes, "SMEM");
      image.smem.resize(bytes.size() / 4);
      for (auto& word : image.smem) word = in.u32();
      return;
    }
    case Section::CONSTANT: {
      Reader in(bytes, "constants");
      HbmSegment segment;
      segment.addr = in.number(8);
      const auto data = in.rest();
      segment.bytes.assign(data.begin(), data.end());
      image.constants.push_back(std::move(segment));
      return;
    }
    case Section::INPUT:
      image.inputs.push_back(parse_tensor(bytes, "input tensor"));
      return;
    case Section::OUTPUT:
      image.outputs.push_back(parse_tensor(bytes, "output tensor"));
      return;
    case Section::REPORT:
      image.report.assign(bytes.begin(), bytes.end());
      return;
  }
  throw ImageError(fmt::format("unknown section kind {}", static_cast<uint32_t>(kind)));
}

bool may_repeat(Section kind) {
  return kind == Section::CONSTANT || kind == Section::INPUT || kind == Section::OUTPUT;
}

}  // namespace

std::vector<uint8_t> Image::to_bytes() const {
  validate();
  std::vector<std::pair<Section, Bytes>> sections;
  const auto add = [&](Section kind) -> Bytes& {
    return sections.emplace_back(kind, Bytes{}).second;
  };
  put_text(add(Section::CONFIG_NAME), config_name);
  Bytes& code_bytes = add(Section::CODE);
  for (const auto& instr : code)
    for (const uint32_t word : instr.words) put(code_bytes, word, 4);
  Bytes& smem_bytes = add(Section::SMEM);
  for (const uint32_t word : smem) put(smem_bytes, word, 4);
  for (const auto& segment : constants) {
    Bytes& out = add(Section::CONSTANT);
    out.reserve(segment.bytes.size() + 8);
    put(out, segment.addr, 8);
    out.insert(out.end(), segment.bytes.begin(), segment.bytes.end());
  }
  for (const auto& tensor : inputs) add(Section::INPUT) = tensor_bytes(tensor);
  for (const auto& tensor : outputs) add(Section::OUTPUT) = tensor_bytes(tensor);
  put_text(add(Section::REPORT), report);

  uint64_t offset = format::kHeaderBytes + sections.size() * format::kSectionBytes;
  uint64_t total = offset + format::kTrailerBytes;
  for (const auto& [kind, data] : sections) total += data.size();
  Bytes out;
  out.reserve(total);
  put(out, format::kMagic, 4);
  put(out, kImageVersion, 4);
  put(out, config_hash, 4);
  put(out, sections.size(), 4);
  put(out, total, 8);
  put(out, entry, 4);
  put(out, 0, 4);
  put(out, hbm_bytes, 8);
  for (const auto& [kind, data] : sections) {
    put(out, static_cast<uint32_t>(kind), 4);
    put(out, crc_of(data), 4);
    put(out, offset, 8);
    put(out, data.size(), 8);
    offset += data.size();
  }
  for (const auto& [kind, data] : sections) out.insert(out.end(), data.begin(), data.end());
  put(out, crc_of(out), 4);
  return out;
}

Image Image::from_bytes(std::span<const uint8_t> bytes) {
  if (bytes.size() < format::kHeaderBytes + format::kTrailerBytes)
    throw ImageError(
        fmt::format("not a TTPU image: {} bytes are fewer than its header", bytes.size()));
  Reader header(bytes.first(format::kHeaderBytes), "header");
  if (header.u32() != format::kMagic)
    throw ImageError("not a TTPU image: it does not begin with \"TTPU\"");
  if (const uint32_t version = header.u32(); version != kImageVersion)
    throw ImageError(
        fmt::format("image version {}, this program reads version {}: compile it again", version,
                    kImageVersion));
  Image image;
  image.config_hash = header.u32();
  const uint32_t count = header.u32();
  const uint64_t file_bytes = header.number(8);
  image.entry = header.u32();
  const uint32_t reserved = header.u32();
  image.hbm_bytes = header.number(8);
  if (file_bytes != bytes.size())
    throw ImageError(fmt::format("the image should have {} bytes and has {}: copy it again",
                                 file_bytes, bytes.size()));
  const auto body = bytes.first(bytes.size() - format::kTrailerBytes);
  Reader trailer(bytes.last(format::kTrailerBytes), "checksum");
  if (trailer.u32() != crc_of(body))
    throw ImageError("the checksum of the file is wrong: the image is damaged, copy it again");
  // From here on the file is as somebody wrote it, but that may be anybody.
  if (reserved != 0) throw ImageError("a reserved number of the header is not 0");
  if (count > format::kMaxSections ||
      count > (body.size() - format::kHeaderBytes) / format::kSectionBytes)
    throw ImageError(fmt::format("{} sections do not fit the file", count));
  const size_t table_bytes = count * format::kSectionBytes;
  Reader table(body.subspan(format::kHeaderBytes, table_bytes), "section table");
  uint64_t expected = format::kHeaderBytes + table_bytes;
  std::set<Section> seen;
  for (uint32_t i = 0; i < count; ++i) {
    const auto kind = static_cast<Section>(table.u32());
    const uint32_t crc = table.u32();
    const uint64_t offset = table.number(8), size = table.number(8);
    if (offset != expected)
      throw ImageError(fmt::format("section {} starts at {}, not at {}", i, offset, expected));
    if (size > body.size() - offset)
      throw ImageError(fmt::format("section {} of {} bytes ends beyond the file", i, size));
    const auto data = body.subspan(offset, size);
    if (crc != crc_of(data))
      throw ImageError(fmt::format("the checksum of section {} is wrong", i));
    if (!seen.insert(kind).second && !may_repeat(kind))
      throw ImageError(fmt::format("section kind {} is there twice", static_cast<uint32_t>(kind)));
    parse_section(image, kind, data);
    expected = offset + size;
  }
  if (expected != body.size())
    throw ImageError(fmt::format("{} bytes belong to no section", body.size() - expected));
  for (const auto kind : {Section::CONFIG_NAME, Section::CODE, Section::SMEM, Section::REPORT})
    if (!seen.contains(kind))
      throw ImageError(fmt::format("section kind {} is missing", static_cast<uint32_t>(kind)));
  image.validate();
  return image;
}

}  // namespace ttpu
