// Waves of a bench that drives several clocks or several models itself; tb::Controller makes its
// own. In a build without waves it only says where a failure was. Counts as a controller: the same
// variables (tb::Arguments) and messages.
//
//   VerilatedContext context;
//   tb::Wave wave{context, 10000};     // before the models; steps of the bench's time in a cycle
//   ... wave.open(model, other);       // made with context; their names are the scopes in the wave
//   wave.advance(now, next);           // each time that time goes on
//   wave.close();                      // before the models end
#pragma once
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "tb/controller.h"
#include "tb/report.h"
#include "verilated.h"

namespace tb {

class Wave {
 public:
  Wave([[maybe_unused]] VerilatedContext& context, uint64_t steps)
      : steps_(steps), number_(next_controller_number()), failures_at_start_(failure_count) {
#ifdef TTPU_TRACED
    context.traceEverOn(true);
#endif
  }
  Wave(const Wave&) = delete;
  Wave& operator=(const Wave&) = delete;
  ~Wave() { close(); }

  template <class... Models>
  void open([[maybe_unused]] Models&... models) {
#ifdef TTPU_TRACED
    const Arguments a = Arguments::from_environment();
    if (a.trace_file.empty() || (a.trace_only && a.trace_only != number_)) return;
    std::string file = a.trace_file;
    if (!a.trace_only && number_ > 1) file += "." + std::to_string(number_) + ".fst";
    from_ = a.trace_from * steps_;
    trace_ = std::make_unique<VerilatedFstC>();
    (models.trace(trace_.get(), 99), ...);
    trace_->open(file.c_str());
    if (!trace_->isOpen()) throw BenchError("cannot write the wave " + file);
#endif
  }

  /// Time goes from `now` to `next`: what stands now is in the wave at `now`.
  void advance(uint64_t now, uint64_t next) {
    if (next <= now) return;
    now_ = next;
#ifdef TTPU_TRACED
    if (trace_ && now >= from_) trace_->dump(now);
#endif
  }

  /// Ends the wave. After a failure: says at which cycle, and how many steps one has.
  void close() {
    if (closed_) return;
    closed_ = true;
    if (failure_count > failures_at_start_)
      std::printf("[ttpu] failed in controller %s at cycle %s of %s steps\n",
                  std::to_string(number_).c_str(), std::to_string(now_ / steps_).c_str(),
                  std::to_string(steps_).c_str());
#ifdef TTPU_TRACED
    if (trace_) trace_->close();
#endif
  }

 private:
  uint64_t steps_, number_, failures_at_start_;
  uint64_t now_ = 0;
  bool closed_ = false;
#ifdef TTPU_TRACED
  uint64_t from_ = 0;
  std::unique_ptr<VerilatedFstC> trace_;
#endif
};

}  // namespace tb
