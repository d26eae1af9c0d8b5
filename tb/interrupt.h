// Ctrl-C in a traced run: the wave is closed before the program ends, so that it opens (case C35).
#pragma once
#include <csignal>

namespace tb {

/// Set by the first SIGINT or SIGTERM after catch_interrupt().
inline volatile std::sig_atomic_t interrupted = 0;

/// The first signal asks the controller to stop after its cycle; a second one ends at once.
inline void catch_interrupt() {
  const auto handler = [](int signal) {
    interrupted = 1;
    std::signal(signal, SIG_DFL);
  };
  std::signal(SIGINT, handler);
  std::signal(SIGTERM, handler);
}

}  // namespace tb
