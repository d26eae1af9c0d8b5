// "still at work" on stderr, for people only.
#pragma once
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace ttpu::cli {

/// While it lives, shows `what` and the seconds on stderr, from the second on, if stderr is a
/// terminal; leaves nothing behind.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  void show();
  std::string what_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace ttpu::cli
