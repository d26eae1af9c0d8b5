// The bench's one controller: owns the model, its clock and reset, waves, timeout and arguments.
//
//   tb::Controller<Vttpu_mxu> bench;          // reset is done here
//   bench.add(memory);                        // an extension, see below
//   bench.tick();                             // one clock
//   bench.run_until([&] { return bench->done_o; }, 1000, "done_o");
//
// An extension is any object with some of these member functions:
//   arguments(const tb::Arguments&)  once, when it is added
//   before_clock()   clock low: drive the model's inputs for the coming edge
//   at_clock()       inputs have settled, the edge comes next: sample handshakes here
//   after_clock()    the edge has happened: registered outputs are new
//   finish()         when the controller ends: final checks
#pragma once
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tb/interrupt.h"
#include "tb/random.h"
#include "tb/report.h"
#include "verilated.h"
#ifdef TTPU_TRACED
#include "verilated_fst_c.h"
#endif

namespace tb {

/// What a run takes from its environment.
struct Arguments {
  uint64_t seed = run_seed();
  /// FST file of a traced build (TTPU_TRACE), "" = none.
  std::string trace_file;
  /// Trace only the n-th controller of the test (TTPU_TRACE_ONLY), 0 = each into its own file.
  uint64_t trace_only = 0;
  /// First cycle in the wave (TTPU_TRACE_FROM).
  uint64_t trace_from = 0;

  static Arguments from_environment() {
    const auto text = [](const char* name) {
      const char* value = std::getenv(name);
      return std::string(value ? value : "");
    };
    const auto number = [&](const char* name) {
      return std::strtoull(text(name).c_str(), nullptr, 0);
    };
    Arguments a;
    a.trace_file = text("TTPU_TRACE");
    a.trace_only = number("TTPU_TRACE_ONLY");
    a.trace_from = number("TTPU_TRACE_FROM");
    return a;
  }
};

/// How a controller is made.
struct ControllerOptions {
  /// Of the whole life of the controller; a hundred times as long in the long form of a test.
  uint64_t timeout_cycles = long_run() ? 1'000'000'000 : 10'000'000;
  uint32_t reset_cycles = 4;
  /// 0: registers and memories start as zeros; else at random from this seed (case C38).
  uint64_t random_init_seed = 0;
  std::string name = "bench";  ///< in messages
  Arguments arguments = Arguments::from_environment();
};

/// Number of the controllers made so far in the running test.
inline uint64_t next_controller_number() {
  static std::string test;
  static uint64_t number = 0;
  if (test != current_test) {
    test = current_test;
    number = 0;
  }
  return ++number;
}

template <class Model>
class Controller {
 public:
  using Options = ControllerOptions;

  explicit Controller(Options options = {})
      : options_(std::move(options)),
        number_(next_controller_number()),
        failures_at_start_(failure_count),
        context_(std::make_unique<VerilatedContext>()) {
    context_->fatalOnError(false);
    if (options_.random_init_seed) {
      context_->randReset(2);
      context_->randSeed(static_cast<int>(options_.random_init_seed & 0x7fffffff) | 1);
    } else {
      context_->randReset(0);
    }
#ifdef TTPU_TRACED
    context_->traceEverOn(true);
#endif
    model_ = std::make_unique<Model>(context_.get(), "top");
    open_trace();
    reset();
  }
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  ~Controller() {
    if (std::uncaught_exceptions() == exceptions_at_start_) finish();
    if (failure_count > failures_at_start_ || std::uncaught_exceptions() > exceptions_at_start_)
      std::printf("[ttpu] failed in controller %llu at cycle %llu\n", ull(number_), ull(cycle_));
    model_->final();
    close_trace();
    // The model's scopes take leave of the thread's context, which may be another controller's.
    Verilated::threadContextp(context_.get());
    model_.reset();
  }

  Model* operator->() { return model_.get(); }
  Model& dut() { return *model_; }
  VerilatedContext& context() { return *context_; }
  /// Rising edges so far, reset included.
  uint64_t cycle() const { return cycle_; }
  uint64_t seed() const { return options_.arguments.seed; }

  /// Attach an extension for the rest of the controller's life; it must outlive the controller.
  template <class Extension>
  void add(Extension& extension) {
    if constexpr (requires { extension.arguments(options_.arguments); })
      extension.arguments(options_.arguments);
    if constexpr (requires { extension.before_clock(); })
      before_.push_back(Hook::of_before(extension));
    if constexpr (requires { extension.at_clock(); }) at_.push_back(Hook::of_at(extension));
    if constexpr (requires { extension.after_clock(); })
      after_.push_back(Hook::of_after(extension));
    if constexpr (requires { extension.finish(); }) finish_.push_back(Hook::of_finish(extension));
  }

  /// One clock cycle. Extensions given here are called directly (inlined), after those of add().
  template <class... Extensions>
  void tick(Extensions&... extensions) {
    for (const Hook& h : before_) h();
    (call_before(extensions), ...);
    model_->clk_i = 0;
    model_->eval();
    for (const Hook& h : at_) h();
    (call_at(extensions), ...);
    dump(0);
    model_->clk_i = 1;
    model_->eval();
    context_->timeInc(2);
    dump(1);
    ++cycle_;
    for (const Hook& h : after_) h();
    (call_after(extensions), ...);
    if (context_->gotError()) [[unlikely]]
      stop_on_assertion();
    if (cycle_ >= options_.timeout_cycles) [[unlikely]]
      stop_on_timeout();
    if (interrupted) [[unlikely]]
      stop_on_interrupt();
  }

  /// `count` clock cycles.
  template <class... Extensions>
  void run(uint64_t count, Extensions&... extensions) {
    for (uint64_t i = 0; i < count; ++i) tick(extensions...);
  }

  /// Tick until `done()` is true; at most `limit` cycles, then fail naming `what`. True if done.
  template <class Done, class... Extensions>
  bool run_until(Done&& done, uint64_t limit, const char* what, Extensions&... extensions) {
    for (uint64_t i = 0; !done(); ++i) {
      if (i == limit) {
        fail(format("%s: cycle %llu: waited %llu cycles for %s", options_.name.c_str(), ull(cycle_),
                    ull(limit), what));
        return false;
      }
      tick(extensions...);
    }
    return true;
  }

  /// Settle combinational outputs after a change of inputs, without a clock.
  void settle() { model_->eval(); }

  /// Assert reset for `reset_cycles` without calling extensions.
  void reset() {
    model_->rst_ni = 0;
    for (uint32_t i = 0; i < options_.reset_cycles; ++i) {
      model_->clk_i = 0;
      model_->eval();
      dump(0);
      model_->clk_i = 1;
      model_->eval();
      context_->timeInc(2);
      dump(1);
      ++cycle_;
    }
    model_->rst_ni = 1;
  }

  /// Final checks of the extensions; called by the destructor if not before.
  void finish() {
    if (finished_) return;
    finished_ = true;
    for (const Hook& h : finish_) h();
  }

 private:
  static unsigned long long ull(uint64_t v) { return v; }

  /// A bound member function: one indirect call, no allocation, no virtual table.
  struct Hook {
    void* object;
    void (*function)(void*);
    void operator()() const { function(object); }
    template <class E>
    static Hook of_before(E& e) {
      return {&e, [](void* p) { static_cast<E*>(p)->before_clock(); }};
    }
    template <class E>
    static Hook of_at(E& e) {
      return {&e, [](void* p) { static_cast<E*>(p)->at_clock(); }};
    }
    template <class E>
    static Hook of_after(E& e) {
      return {&e, [](void* p) { static_cast<E*>(p)->after_clock(); }};
    }
    template <class E>
    static Hook of_finish(E& e) {
      return {&e, [](void* p) { static_cast<E*>(p)->finish(); }};
    }
  };
  template <class E>
  static void call_before(E& e) {
    if constexpr (requires { e.before_clock(); }) e.before_clock();
  }
  template <class E>
  static void call_at(E& e) {
    if constexpr (requires { e.at_clock(); }) e.at_clock();
  }
  template <class E>
  static void call_after(E& e) {
    if constexpr (requires { e.after_clock(); }) e.after_clock();
  }

  [[gnu::noinline]] void stop_on_assertion() {
    context_->gotError(false);
    context_->gotFinish(false);
    const std::string message =
        format("%s: cycle %llu: an assertion of the RTL failed (its message is above)",
               options_.name.c_str(), ull(cycle_));
    if (failure_sink) failure_sink(message);
    ++failure_count;
    throw BenchError(message);
  }
  [[gnu::noinline]] void stop_on_timeout() {
    const std::string message =
        format("%s: no end after %llu cycles: a hang, or a timeout_cycles too short for this test",
               options_.name.c_str(), ull(options_.timeout_cycles));
    ++failure_count;
    throw BenchError(message);
  }
  [[gnu::noinline]] void stop_on_interrupt() {
    close_trace();
    std::fprintf(stderr, "[ttpu] interrupted at cycle %llu\n", ull(cycle_));
    std::_Exit(130);
  }

  void open_trace() {
#ifdef TTPU_TRACED
    const Arguments& a = options_.arguments;
    if (a.trace_file.empty() || (a.trace_only && a.trace_only != number_)) return;
    std::string file = a.trace_file;
    if (!a.trace_only && number_ > 1) {
      const size_t dot = file.rfind(".fst");
      file.insert(dot == std::string::npos ? file.size() : dot, format(".%llu", ull(number_)));
    }
    trace_ = std::make_unique<VerilatedFstC>();
    model_->trace(trace_.get(), 99);
    trace_->open(file.c_str());
    if (!trace_->isOpen()) throw BenchError("cannot write the wave " + file);
    catch_interrupt();
#endif
  }
  void close_trace() {
#ifdef TTPU_TRACED
    if (trace_) trace_->close();
    trace_.reset();
#endif
  }
  void dump([[maybe_unused]] uint64_t half) {
#ifdef TTPU_TRACED
    if (trace_ && cycle_ >= options_.arguments.trace_from) trace_->dump(2 * cycle_ + half);
#endif
  }

  Options options_;
  uint64_t number_;
  uint64_t failures_at_start_;
  int exceptions_at_start_ = std::uncaught_exceptions();
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Model> model_;
#ifdef TTPU_TRACED
  std::unique_ptr<VerilatedFstC> trace_;
#endif
  uint64_t cycle_ = 0;
  bool finished_ = false;
  std::vector<Hook> before_, at_, after_, finish_;
};

}  // namespace tb
