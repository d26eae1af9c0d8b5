#include "ttpu/program_image.h"

namespace ttpu::cli {
namespace {

constexpr TensorType kTypes[] = {TensorType::S8, TensorType::U8, TensorType::BF16, TensorType::S32,
                                 TensorType::F32};

TensorDesc to_desc(const isa::ProgramTensor& t) {
  TensorDesc d;
  d.name = t.name;
  for (const auto type : kTypes)
    if (t.type == name_of(type)) d.type = type;
  d.shape = t.shape;
  d.hbm_addr = t.at;
  d.row_pitch = t.pitch;
  d.scale = t.scale;
  d.zero_point = t.zero_point;
  return d;
}

isa::ProgramTensor from_desc(const TensorDesc& d) {
  return {d.name, name_of(d.type), d.shape, d.hbm_addr, d.row_pitch, d.scale, d.zero_point};
}

}  // namespace

Image to_image(const isa::Program& p) {
  Image i;
  i.config_hash = p.config_hash;
  i.config_name = p.config_name;
  i.entry = p.entry;
  i.hbm_bytes = p.hbm_bytes;
  i.code = p.code;
  i.smem = p.smem;
  for (const auto& s : p.constants) i.constants.push_back({s.addr, s.bytes});
  for (const auto& t : p.inputs) i.inputs.push_back(to_desc(t));
  for (const auto& t : p.outputs) i.outputs.push_back(to_desc(t));
  i.report = p.report;
  return i;
}

isa::Program to_program(const Image& i) {
  isa::Program p;
  p.config_name = i.config_name;
  p.config_hash = i.config_hash;
  p.entry = i.entry;
  p.hbm_bytes = i.hbm_bytes;
  p.code = i.code;
  p.smem = i.smem;
  for (const auto& s : i.constants) p.constants.push_back({s.addr, s.bytes});
  for (const auto& t : i.inputs) p.inputs.push_back(from_desc(t));
  for (const auto& t : i.outputs) p.outputs.push_back(from_desc(t));
  p.report = i.report;
  return p;
}

}  // namespace ttpu::cli
