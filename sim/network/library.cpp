#include "network/library.h"

#include <dlfcn.h>

#include <filesystem>

#include "network/model.h"

namespace ttpu::network {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<Routers> open_library(const std::string& name, const RouterShape& shape,
                                      uint32_t count) {
  const std::string file = "lib" + name + ".so";
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path folder = error ? fs::current_path() : program.parent_path();
  for (const auto& place : {folder, folder / ".." / "lib", folder / ".." / "bin"}) {
    if (!fs::exists(place / file, error)) continue;
    // The library stays open: the routers' code lives in it.
    void* library = ::dlopen((place / file).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
      throw RouterError(std::string("cannot load ") + ::dlerror() +
                        "; build it again: `make net-rtl`");
    const auto create = reinterpret_cast<CreateRouters>(::dlsym(library, kRoutersSymbol));
    if (create == nullptr) throw RouterError((place / file).string() + " holds no routers");
    RouterShape built;
    std::unique_ptr<Routers> routers(create(count, &built));
    if (!(built == shape))
      throw RouterError((place / file).string() +
                        " was built for other parameters; build it again: " + "`make net-rtl`");
    return routers;
  }
  throw RouterError("the RTL router is not built: no " + file + " in " + folder.string() +
                    "; build it with `make net-rtl`, or take --device model");
}

}  // namespace

const ici::RouterConfig& router_config(const std::string& name) {
  std::string names;
  for (const ici::RouterConfig& c : ici::kRouterConfigs) {
    if (name == c.name) return c;
    names += std::string(names.empty() ? "" : ", ") + c.name;
  }
  throw RouterError("there is no router '" + name + "'; routers: " + names);
}

std::unique_ptr<Routers> open_routers(const std::string& device, const ici::RouterConfig& config,
                                      uint32_t dims, uint32_t count) {
  if (device == "model")
    return std::make_unique<ModelRouters>(count, ModelShape{dims, config.vcs, config.depth});
  if (device != "rtl" && device != "rtl-checked" && device != "rtl-links")
    throw RouterError("there is no device '" + device + "': rtl, rtl-checked, rtl-links or model");
  if (dims < 2) {
    throw RouterError(
        "RTL routers have 2 or 3 dimensions: make a ring of k nodes kx1 (in a file size: [k, 1]), "
        "or take --device model");
  }
  if (std::string(config.name) == "medium" && device != "rtl")
    throw RouterError("router medium is built for --device rtl and model only, not " + device);
  return open_library("ttpu_net_" + std::to_string(dims) + "d_" + config.name +
                          (device == "rtl"         ? ""
                           : device == "rtl-links" ? "_links"
                                                   : "_checked"),
                      {dims, config.vcs, config.depth, config.data_w}, count);
}

}  // namespace ttpu::network
