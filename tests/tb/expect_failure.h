// Catch what the bench library reports, to test that its checks fire.
#pragma once
#include <gtest/gtest.h>

#include <string>

#include "tb/report.h"

namespace tb_test {

inline std::string caught;

/// While it lives, failures are collected instead of reported.
class CatchFailures {
 public:
  CatchFailures() {
    caught.clear();
    saved_ = tb::failure_sink;
    count_ = tb::failure_count;
    tb::failure_sink = [](const std::string& message) { caught += message + "\n"; };
  }
  ~CatchFailures() {
    tb::failure_sink = saved_;
    tb::failure_count = count_;
  }

 private:
  void (*saved_)(const std::string&);
  uint64_t count_;
};

}  // namespace tb_test

/// `statement` must report a failure that contains `text`.
#define EXPECT_BENCH_FAILURE(statement, text)                                     \
  do {                                                                            \
    {                                                                             \
      tb_test::CatchFailures catcher;                                             \
      statement;                                                                  \
    }                                                                             \
    EXPECT_NE(tb_test::caught.find(text), std::string::npos)                      \
        << "expected a failure with: " << (text) << "\ngot: " << tb_test::caught; \
  } while (false)
