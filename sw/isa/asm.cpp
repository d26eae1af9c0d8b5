// The assembler's passes and directives.
#include "isa/asm.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "isa/asm_internal.h"
#include "isa/suggest.h"

namespace ttpu::isa {
namespace internal {
namespace {

constexpr uint64_t kMaxData = uint64_t{256} << 20;  // bytes of constants in one text
constexpr std::string_view kDirectives[] = {
    ".config", ".entry", ".equ",   ".smem",   ".hbm",  ".s8",        ".u8",     ".bf16", ".i32",
    ".f32",    ".zero",  ".input", ".output", ".word", ".hbm_bytes", ".report", ".hash"};

uint32_t to_bf16(double v) {
  const auto bits = std::bit_cast<uint32_t>(static_cast<float>(v));
  if (std::isnan(v)) return 0x7fc0;
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;  // nearest even
}

class Assembler {
 public:
  explicit Assembler(std::string_view default_config)
      : config_(find_config(default_config)), symbols_(&config_) {
    if (!config_) config_ = &kConfigs[0];
  }

  AssembleResult run(std::string_view source) {
    split(source);
    for (auto& line : lines_) attempt([&] { find_config_directive(line); });
    uint32_t pc = 0;
    for (auto& line : lines_) attempt([&] { first_pass(line, pc); });
    symbols_.check_all(errors_);
    program_.config_name = std::string(config_->name);
    program_.config_hash = config_->hash;
    for (auto& line : lines_) attempt([&] { second_pass(line); });
    if (errors_.empty()) attempt([&] { finish(); });
    std::stable_sort(errors_.begin(), errors_.end(),
                     [](const auto& a, const auto& b) { return a.line < b.line; });
    if (errors_.size() > kMaxErrors) errors_.resize(kMaxErrors);
    return {std::move(program_), std::move(errors_)};
  }

 private:
  enum class Section { NONE, SMEM, HBM };

  template <typename F>
  void attempt(F f) {
    try {
      f();
    } catch (const Failure& failure) {
      errors_.push_back(failure.diagnostic);
    }
  }

  void split(std::string_view source) {
    int number = 0;
    while (!source.empty()) {
      const size_t end = std::min(source.find('\n'), source.size());
      Line line;
      line.number = ++number;
      line.text = source.substr(0, end);
      source.remove_prefix(std::min(end + 1, source.size()));
      try {
        line.tokens = lex(line.text);
      } catch (const LexError& e) {
        errors_.push_back({number, e.column, e.length, e.message, e.hint, std::string(line.text)});
        continue;
      }
      if (!line.done()) lines_.push_back(std::move(line));
    }
  }

  void find_config_directive(Line line) {
    if (!line.peek().word(".config")) return;
    line.take();
    const Token name = line.take();
    if (seen_config_) line.fail(name, ".config is given twice", "keep one of them");
    seen_config_ = true;
    const Config* found = find_config(name.kind == Token::Kind::STRING ? name.string : name.text);
    if (!found) {
      std::vector<std::string_view> names;
      for (const auto& c : kConfigs) names.push_back(c.name);
      const auto near = nearest(name.text, names);
      line.fail(name, fmt::format("there is no configuration '{}'", name.text),
                (near.empty() ? "" : "did you mean " + near + "? ") +
                    "configurations: " + list_names(names));
    }
    line.expect_end();
    config_ = found;
  }

  // Labels get their addresses, constants their texts; each line then stands behind its labels.
  void first_pass(Line& line, uint32_t& pc) {
    while (line.peek().kind == Token::Kind::IDENT && line.peek(1).is(":")) {
      const Token name = line.take();
      line.take();
      symbols_.define_label(line, name, pc);
    }
    const Token& t = line.peek();
    if (t.kind == Token::Kind::END) return;
    if (t.word(".equ")) {
      line.take();
      const Token name = line.take();
      if (name.kind != Token::Kind::IDENT)
        line.fail(name, "the name of the constant is missing", "write .equ NAME = value");
      line.expect("=", "write .equ NAME = value");
      symbols_.define_constant(line, name);
      line.at = line.tokens.size() - 1;
    } else if (!t.text.starts_with(".") || t.word(".word")) {
      ++pc;
    }
  }

  void second_pass(Line& line) {
    if (line.done()) return;
    const Token t = line.peek();
    if (t.kind == Token::Kind::IDENT && t.text.starts_with(".")) {
      line.take();
      directive(line, t);
    } else {
      code(line, [&] { return parse_instruction(line, symbols_); });
    }
    line.expect_end();
  }

  template <typename F>
  void code(Line& line, F f) {
    if (program_.code.size() == config_->imem_words)
      line.fail(line.peek(),
                fmt::format("the program is longer than the {} instructions of {}",
                            config_->imem_words, config_->name),
                "loop, or choose a larger configuration");
    program_.code.emplace_back();  // a wrong instruction takes its place all the same
    const size_t index = program_.code.size() - 1;
    program_.code[index] = f();
  }

  void directive(Line& line, const Token& t) {
    const std::string name = lower(t.text);
    if (name == ".config") {
      line.at = line.tokens.size() - 1;  // done before the first pass
    } else if (name == ".entry") {
      once(line, t, seen_entry_);
      entry_ = line;  // checked when the length of the code is known
      line.at = line.tokens.size() - 1;
    } else if (name == ".smem") {
      section_ = Section::SMEM;
      if (!line.done()) smem_at_ = value(line, 0, config_->smem_words, "the SMEM address");
    } else if (name == ".hbm") {
      section_ = Section::HBM;
      // The segment is there even if its address is wrong, so that its data is not wrong, too.
      program_.constants.emplace_back();
      segment_lines_.push_back(line);
      const uint64_t addr = value(line, 0, kMaxAddr, "the HBM address");
      program_.constants.back().addr = addr;
    } else if (name == ".zero") {
      const uint64_t n = value(line, 0, kMaxAddr, "the count of .zero");
      reserve(line, t, section_ == Section::SMEM ? n * 4 : n);
      for (uint64_t i = 0; i < n; ++i) put(0, section_ == Section::SMEM ? 4 : 1);
    } else if (name == ".s8" || name == ".u8" || name == ".i32" || name == ".bf16" ||
               name == ".f32") {
      data(line, t, name);
    } else if (name == ".input") {
      tensor(line, program_.inputs);
    } else if (name == ".output") {
      tensor(line, program_.outputs);
    } else if (name == ".word") {
      code(line, [&] {
        Instr i;
        for (int w = 0; w < 4; ++w) {
          if (w) line.expect(",", "write .word w0, w1, w2, w3, low word first");
          i.words[w] = static_cast<uint32_t>(
              symbols_.expression_in(line, -(int64_t{1} << 31), 0xffffffff, "a word"));
        }
        return i;
      });
    } else if (name == ".hbm_bytes") {
      once(line, t, seen_hbm_bytes_);
      hbm_line_ = line;
      program_.hbm_bytes = value(line, 0, kMaxAddr, "the window's size");
    } else if (name == ".hash") {
      program_.config_hash = static_cast<uint32_t>(value(line, 0, 0xffffffff, "a hash"));
    } else if (name == ".report") {
      const Token s = line.take();
      if (s.kind != Token::Kind::STRING) line.fail(s, "expected a string", "write .report \"...\"");
      program_.report = s.string;
    } else if (name != ".equ") {
      const std::vector<std::string_view> known{std::begin(kDirectives), std::end(kDirectives)};
      const auto near = nearest(name, known);
      line.fail(t, fmt::format("there is no directive '{}'", t.text),
                near.empty() ? "directives: " + list_names(known) : "did you mean " + near + "?");
    }
  }

  void once(Line& line, const Token& t, bool& seen) {
    if (seen) line.fail(t, fmt::format("{} is given twice", lower(t.text)), "keep one of them");
    seen = true;
  }

  uint64_t value(Line& line, int64_t lo, int64_t hi, std::string_view what) {
    return static_cast<uint64_t>(symbols_.expression_in(line, lo, hi, what));
  }

  /// Refuse `bytes` more of data where they do not fit.
  void reserve(Line& line, const Token& t, uint64_t bytes) {
    if (section_ == Section::NONE)
      line.fail(t, "data outside of a section", "begin one with .smem or .hbm ADDRESS");
    if (section_ == Section::SMEM && smem_at_ + bytes / 4 > config_->smem_words)
      line.fail(t,
                fmt::format("the data passes the {} words of SMEM of {}", config_->smem_words,
                            config_->name),
                "put large tables into HBM");
    data_bytes_ += bytes;
    if (data_bytes_ > kMaxData)
      line.fail(t, fmt::format("more than {} MiB of data", kMaxData >> 20),
                "give large tensors as inputs");
  }

  void put(uint32_t value, int bytes) {
    if (section_ == Section::SMEM) {
      if (program_.smem.size() <= smem_at_) program_.smem.resize(smem_at_ + 1);
      program_.smem[smem_at_++] = value;
      return;
    }
    auto& to = program_.constants.back().bytes;
    for (int i = 0; i < bytes; ++i) to.push_back(static_cast<uint8_t>(value >> (8 * i)));
  }

  void data(Line& line, const Token& t, const std::string& name) {
    const int bytes = name == ".bf16" ? 2 : name.ends_with("32") ? 4 : 1;
    if (section_ == Section::SMEM && bytes != 4)
      line.fail(t, fmt::format("SMEM holds words of 32 bits, not {}", name), "use .i32 or .f32");
    do {
      reserve(line, t, static_cast<uint64_t>(bytes));
      uint32_t v = 0;
      if (name == ".f32") {
        v = std::bit_cast<uint32_t>(static_cast<float>(symbols_.real(line)));
      } else if (name == ".bf16") {
        v = to_bf16(symbols_.real(line));
      } else {
        const int64_t lo = name == ".u8" ? 0 : name == ".s8" ? -128 : -(int64_t{1} << 31);
        const int64_t hi = name == ".u8" ? 255 : name == ".s8" ? 127 : 0xffffffff;
        v = static_cast<uint32_t>(symbols_.expression_in(line, lo, hi, name));
      }
      put(v, bytes);
    } while (line.accept(","));
  }

  void tensor(Line& line, std::vector<ProgramTensor>& list) {
    const Token name = line.peek();
    uint64_t bytes = 0;
    ProgramTensor t = parse_tensor(line, symbols_, &bytes);
    for (const auto& other : list)
      if (other.name == t.name)
        line.fail(name, fmt::format("there are two tensors '{}'", t.name), "rename one of them");
    end_ = std::max(end_, t.at + bytes);
    list.push_back(std::move(t));
  }

  void finish() {
    if (seen_entry_) {
      const auto last = static_cast<int64_t>(program_.code.size()) - 1;
      program_.entry = static_cast<uint32_t>(
          symbols_.expression_in(entry_, 0, std::max<int64_t>(last, 0), ".entry"));
      entry_.expect_end();
    }
    std::vector<std::pair<uint64_t, size_t>> order;
    for (size_t i = 0; i < program_.constants.size(); ++i) {
      const auto& s = program_.constants[i];
      end_ = std::max(end_, s.addr + s.bytes.size());
      if (!s.bytes.empty()) order.emplace_back(s.addr, i);
    }
    std::sort(order.begin(), order.end());
    for (size_t i = 1; i < order.size(); ++i) {
      const auto& before = program_.constants[order[i - 1].second];
      const Line& line = segment_lines_[order[i].second];
      if (before.addr + before.bytes.size() > order[i].first)
        line.fail(line.tokens[0], "two .hbm segments overlap",
                  fmt::format("the one of line {} ends at 0x{:x}",
                              segment_lines_[order[i - 1].second].number,
                              before.addr + before.bytes.size()));
    }
    if (!seen_hbm_bytes_) {
      program_.hbm_bytes = (end_ + 4095) & ~uint64_t{4095};
    } else if (program_.hbm_bytes < end_) {
      hbm_line_.fail(hbm_line_.tokens[0],
                     fmt::format("the window of {} bytes ends before the program's data at 0x{:x}",
                                 program_.hbm_bytes, end_),
                     "leave .hbm_bytes out to get the size that is needed");
    }
  }

  const Config* config_;
  Symbols symbols_;
  std::vector<Line> lines_;
  std::vector<Diagnostic> errors_;
  Program program_;
  Section section_ = Section::NONE;
  uint64_t smem_at_ = 0, data_bytes_ = 0, end_ = 0;
  Line entry_, hbm_line_;
  std::vector<Line> segment_lines_;
  bool seen_config_ = false, seen_entry_ = false, seen_hbm_bytes_ = false;
};

}  // namespace
}  // namespace internal

std::string to_string(const Diagnostic& d, std::string_view file) {
  // A long line is shown as a window round the error; what is not printable, as '?'.
  constexpr int kWindow = 100;
  const int begin = d.column > kWindow ? d.column - kWindow / 2 : 1;
  std::string shown, caret;
  for (int c = begin; c < begin + kWindow && c <= static_cast<int>(d.source_line.size()); ++c) {
    const char ch = d.source_line[static_cast<size_t>(c - 1)];
    const bool tab = ch == '\t';
    const auto u = static_cast<unsigned char>(ch);
    shown += tab || (u >= 0x20 && u != 0x7f) ? ch : (ch == '\r' ? ' ' : '?');
    if (c < d.column) caret += tab ? '\t' : ' ';
  }
  const int room = begin + kWindow - d.column;
  caret += '^' + std::string(static_cast<size_t>(std::clamp(d.length, 1, room) - 1), '~');
  std::string r = fmt::format("{}:{}:{}: error: {}\n", file, d.line, d.column, d.message);
  r += fmt::format("  {}\n  {}\n", shown, caret);
  if (!d.hint.empty()) r += fmt::format("  hint: {}\n", d.hint);
  return r;
}

AssembleResult assemble(std::string_view source, std::string_view default_config) {
  return internal::Assembler(default_config).run(source);
}

}  // namespace ttpu::isa
