// Parts of `ttpu bench`.
#pragma once
#include "ttpu/cli.h"

namespace ttpu::cli {

/// bench array: the systolic array alone.
void add_bench_array(CLI::App& bench, Context& context);
/// bench net: networks of routers.
void add_bench_net(CLI::App& bench, Context& context);

}  // namespace ttpu::cli
