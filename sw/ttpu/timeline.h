// Commands on their units over time, as a trace that https://ui.perfetto.dev and chrome://tracing
// open.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "runtime/device.h"

namespace ttpu::cli {

/// Trace JSON of a run: a track for each unit (more where commands overlap in a unit), a slice for
/// each command with its program counter and disassembly; a microsecond stands for a cycle.
std::string timeline_json(std::span<const TraceEvent> events, const Image& image,
                          const std::string& device);

}  // namespace ttpu::cli
