// How the bench library reports a failure, without depending on a test framework.
//
// In a GoogleTest executable tb/gtest_main.cpp turns a failure into ADD_FAILURE; in any other
// program (the rtl back end of the device API) it becomes an exception.
#pragma once
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace tb {

/// printf into a std::string.
[[gnu::format(printf, 1, 2)]] inline std::string format(const char* fmt, ...) {
  va_list args;
  va_start(args, fmt);
  char buffer[512];
  const int n = std::vsnprintf(buffer, sizeof buffer, fmt, args);
  va_end(args);
  if (n < static_cast<int>(sizeof buffer)) return buffer;
  std::string text(static_cast<size_t>(n) + 1, '\0');
  va_start(args, fmt);
  std::vsnprintf(text.data(), text.size(), fmt, args);
  va_end(args);
  text.pop_back();
  return text;
}

/// A bench that cannot go on (timeout, assertion in the RTL).
struct BenchError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Receives each failure. Null: BenchError is thrown.
inline void (*failure_sink)(const std::string& message) = nullptr;

/// Failures reported so far.
inline uint64_t failure_count = 0;

/// Report a failure and go on (if a sink is there).
inline void fail(const std::string& message) {
  ++failure_count;
  if (!failure_sink) throw BenchError(message);
  failure_sink(message);
}

}  // namespace tb
