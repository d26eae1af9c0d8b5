#include "ttpu/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

namespace ttpu::cli {

Progress::Progress(std::string what) : what_(std::move(what)) {
  if (::isatty(STDERR_FILENO)) thread_ = std::thread([this] { show(); });
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Progress::show() {
  std::unique_lock lock(mutex_);
  bool shown = false;
  for (int seconds = 1; !wake_.wait_for(lock, std::chrono::seconds(1), [&] { return stop_; });
       ++seconds) {
    fmt::print(stderr, "\r\x1b[K{} ... {} s", what_, seconds);
    std::fflush(stderr);
    shown = true;
  }
  if (shown) {
    fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
  }
}

}  // namespace ttpu::cli
