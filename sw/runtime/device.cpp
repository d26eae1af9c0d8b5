#include "runtime/device.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "runtime/board/board_device.h"
#include "runtime/board/serial_port.h"
#include "runtime/golden_device.h"

namespace ttpu {

namespace fs = std::filesystem;

std::vector<std::string> backend_names() { return {"golden", "rtl"}; }

void check_image(const Image& image, const Config& config, uint64_t hbm_bytes) {
  if (image.config_hash != config.hash)
    throw DeviceError(fmt::format(
        "the image is for configuration '{}' (hash {:08x}), the device is '{}' (hash {:08x}): "
        "compile it for '{}'",
        image.config_name, image.config_hash, config.name, config.hash, config.name));
  try {
    image.validate();
  } catch (const ImageError& e) {
    throw DeviceError(fmt::format("the image cannot be used: {}", e.what()));
  }
  if (image.code.size() > config.imem_words)
    throw DeviceError(fmt::format("the image has {} instructions, '{}' holds {}", image.code.size(),
                                  config.name, config.imem_words));
  if (image.smem.size() > config.smem_words)
    throw DeviceError(fmt::format("the image has {} words of SMEM, '{}' holds {}",
                                  image.smem.size(), config.name, config.smem_words));
  if (image.hbm_bytes > hbm_bytes)
    throw DeviceError(fmt::format(
        "the image needs {} bytes of HBM, the device has {}: open it with more (hbm_bytes)",
        image.hbm_bytes, hbm_bytes));
}

namespace {

/// Folders that may hold the library of the rtl back end.
std::vector<fs::path> library_folders() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path folder = error ? fs::current_path() : program.parent_path();
  return {folder, folder / ".." / "lib", folder / ".." / "bin"};
}

std::unique_ptr<Device> open_rtl(const Config& config, DeviceOptions options) {
  // A failed test is run again with waves (scripts/run_test.sh); the last device opened stays.
  const char* trace = std::getenv("TTPU_TRACE");
  if (options.trace_file.empty() && trace != nullptr) options.trace_file = trace;
  const std::string target = fmt::format("make rtl CONFIG={}{}", config.name,
                                         options.trace_file.empty() ? "" : " WAVES=1");
  const std::string file =
      fmt::format("libttpu_rtl_{}{}.so", config.name, options.trace_file.empty() ? "" : "_trace");
  fs::path found;
  for (const auto& folder : library_folders())
    if (std::error_code error; found.empty() && fs::exists(folder / file, error))
      found = folder / file;
  if (found.empty())
    throw DeviceError(
        fmt::format("the rtl back end of '{}' is not built: no {} in {}; build it with `{}`",
                    config.name, file, library_folders().front().string(), target));
  // The library stays open: the device's code lives in it.
  void* library = ::dlopen(found.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw DeviceError(fmt::format("cannot open {}: {}; build it again with `{}`", found.string(),
                                  ::dlerror(), target));
  const auto create = reinterpret_cast<CreateRtlDevice>(::dlsym(library, kRtlSymbol));
  if (create == nullptr)
    throw DeviceError(
        fmt::format("{} has no {}; build it again with `{}`", found.string(), kRtlSymbol, target));
  std::unique_ptr<Device> device(create(config, options));
  if (device == nullptr) throw DeviceError(fmt::format("{} gave no device", found.string()));
  if (device->config().hash != config.hash)
    throw DeviceError(fmt::format(
        "{} was built for '{}' (hash {:08x}), '{}' (hash {:08x}) is asked for: build it again with "
        "`{}`",
        found.string(), device->config().name, device->config().hash, config.name, config.hash,
        target));
  return device;
}

}  // namespace

std::unique_ptr<Device> open_device(const std::string& backend, const Config& config,
                                    const DeviceOptions& options) {
  if (backend == "golden") return std::make_unique<GoldenDevice>(config, options);
  if (backend == "rtl") return open_rtl(config, options);
  if (is_board(backend)) return open_board(backend, config, options);
  std::string known;
  for (const auto& name : backend_names()) known += (known.empty() ? "" : ", ") + name;
  throw DeviceError(
      fmt::format("there is no back end '{}': use one of {}, board:PORT[:BAUD]", backend, known));
}

void Device::select_core(uint32_t core) {
  if (core != 0)
    throw DeviceError(
        fmt::format("back end {} has one tensor core, core {} is asked for: use the "
                    "rtl back end of a configuration with more",
                    name(), core));
}

void write_tensor(Device& device, const TensorDesc& desc, std::span<const uint8_t> dense) {
  const uint64_t row_bytes = desc.row_elements() * size_of(desc.type);
  if (dense.size() != desc.elements() * size_of(desc.type))
    throw DeviceError(fmt::format("tensor '{}' takes {} bytes, {} were given", desc.name,
                                  desc.elements() * size_of(desc.type), dense.size()));
  if (desc.row_pitch == row_bytes) return device.write_hbm(desc.hbm_addr, dense);
  for (uint64_t row = 0; row < desc.rows(); ++row)
    device.write_hbm(desc.hbm_addr + row * desc.row_pitch,
                     dense.subspan(row * row_bytes, row_bytes));
}

std::vector<uint8_t> read_tensor(Device& device, const TensorDesc& desc) {
  const uint64_t row_bytes = desc.row_elements() * size_of(desc.type);
  std::vector<uint8_t> dense(desc.elements() * size_of(desc.type));
  const std::span<uint8_t> out(dense);
  if (desc.row_pitch == row_bytes) {
    device.read_hbm(desc.hbm_addr, out);
    return dense;
  }
  for (uint64_t row = 0; row < desc.rows(); ++row)
    device.read_hbm(desc.hbm_addr + row * desc.row_pitch, out.subspan(row * row_bytes, row_bytes));
  return dense;
}

}  // namespace ttpu
