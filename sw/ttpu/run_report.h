// What is said of a run: counters by unit, use of the MXU, an error explained.
#pragma once
#include <string>

#include "runtime/device.h"
#include "ttpu/cli.h"

namespace ttpu::cli {

/// Multiply-adds done / (array cells x cycles), 0 without counters.
double mxu_utilisation(const RunResult& result, const Config& config);

/// Table: a line for each unit with its share of busy, idle and each stall; then the plain
/// counters.
std::string counters_table(const RunResult& result);
/// The same as an object of objects.
Json counters_json(const RunResult& result);

/// A program's error: cause, place, disassembled instruction, advice.
std::string explain_error(const RunResult& result, const Image& image);
Json error_json(const RunResult& result, const Image& image);

}  // namespace ttpu::cli
