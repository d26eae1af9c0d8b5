// Expressions, labels and constants of the assembler.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "isa/asm_internal.h"
#include "isa/suggest.h"

namespace ttpu::isa::internal {
namespace {

constexpr int kMaxDepth = 200;  // of parentheses and of constants that name constants
constexpr std::string_view kLevels[][2] = {
    {"|", ""}, {"^", ""}, {"&", ""}, {"<<", ">>"}, {"+", "-"}};

}  // namespace

void Line::fail_at(int column, int length, std::string message, std::string hint) const {
  throw Failure{{number, column, length, std::move(message), std::move(hint), std::string(text)}};
}

void Line::fail(const Token& t, std::string message, std::string hint) const {
  fail_at(t.column, t.length, std::move(message), std::move(hint));
}

void Line::expect(std::string_view punct, std::string_view hint) {
  if (accept(punct)) return;
  fail(peek(),
       fmt::format(
           "expected '{}'{}", punct,
           done() ? " before the end of the line" : fmt::format(", found '{}'", peek().text)),
       std::string(hint));
}

void Line::expect_end() {
  if (done()) return;
  fail(peek(), fmt::format("unexpected '{}'", peek().text),
       peek().is(",") ? "fields stand apart by spaces, without commas" : "one statement a line");
}

void Symbols::add(Line& line, const Token& name, Symbol symbol) {
  if (name.text.starts_with("cfg."))
    line.fail(name, fmt::format("the name '{}' is taken", name.text),
              "names that begin with cfg. are the configuration's parameters");
  if (name.text.starts_with("."))
    line.fail(name, fmt::format("a name cannot begin with a dot: '{}'", name.text),
              "directives begin with a dot");
  symbol.name = name.text;
  const auto [it, fresh] = symbols_.try_emplace(std::string(name.text), std::move(symbol));
  if (!fresh)
    line.fail(name, fmt::format("'{}' is defined twice", name.text),
              fmt::format("first defined in line {}", it->second.line.number));
}

void Symbols::define_label(Line& line, const Token& name, uint32_t pc) {
  Symbol s;
  s.is_label = true;
  s.value = pc;
  s.state = Symbol::State::KNOWN;
  s.line.number = line.number;
  add(line, name, std::move(s));
}

void Symbols::define_constant(Line line, const Token& name) {
  Symbol s;
  s.line = line;
  add(line, name, std::move(s));
}

void Symbols::check_all(std::vector<Diagnostic>& errors) {
  // In the order of the text, so that a long chain of constants does not nest.
  std::vector<std::pair<int, Symbol*>> order;
  for (auto& [name, symbol] : symbols_) order.emplace_back(symbol.line.number, &symbol);
  std::sort(order.begin(), order.end());
  for (const auto& [number, pointer] : order) {
    Symbol& symbol = *pointer;
    if (symbol.state != Symbol::State::UNKNOWN) continue;
    try {
      symbol.state = Symbol::State::RUNNING;
      Line line = symbol.line;
      symbol.value = expression(line);
      line.expect_end();
      symbol.state = Symbol::State::KNOWN;
    } catch (const Failure& f) {
      symbol.state = Symbol::State::BAD;
      errors.push_back(f.diagnostic);
    }
  }
}

int64_t Symbols::lookup(Line& line, const Token& name) {
  if (name.text.starts_with("cfg.")) {
    const auto param = name.text.substr(4);
    std::vector<std::string_view> known = {"vmem_bytes", "bank_bytes", "word_bytes", "acc_total"};
    const Config& c = **config_;
    if (param == "vmem_bytes") return c.vmem_bytes();
    if (param == "bank_bytes") return c.bank_bytes();
    if (param == "word_bytes") return c.word_bytes();
    if (param == "acc_total") return c.acc_total();
    for (const auto& p : kConfigParams) {
      if (p.name == param) return c.*p.value;
      known.push_back(p.name);
    }
    const auto near = nearest(param, known);
    line.fail(name, fmt::format("configurations have no parameter '{}'", param),
              near.empty() ? "known: " + list_names(known) : "did you mean cfg." + near + "?");
  }
  const auto it = symbols_.find(name.text);
  if (it == symbols_.end()) {
    std::vector<std::string_view> known;
    for (const auto& [n, s] : symbols_) known.push_back(s.name);
    std::string near = nearest(name.text, known);
    for (const auto k : known)  // with its own spelling: names keep their case
      if (lower(k) == near) near = std::string(k);
    line.fail(name, fmt::format("'{}' is not defined", name.text),
              near.empty()
                  ? fmt::format("define it as a label '{0}:' or a constant '.equ {0} = ...'",
                                name.text.substr(0, 32))
                  : "did you mean " + near + "?");
  }
  Symbol& s = it->second;
  if (s.state == Symbol::State::RUNNING)
    line.fail(name, fmt::format("'{}' is defined by itself", name.text),
              fmt::format("its definition stands in line {}", s.line.number));
  if (s.state == Symbol::State::BAD)
    line.fail(name, fmt::format("the definition of '{}' is wrong", name.text),
              fmt::format("mend line {} first", s.line.number));
  if (s.state == Symbol::State::UNKNOWN) {
    s.state = Symbol::State::RUNNING;
    try {
      Line definition = s.line;
      s.value = expression(definition);
      definition.expect_end();
    } catch (const Failure&) {
      s.state = Symbol::State::BAD;
      throw;
    }
    s.state = Symbol::State::KNOWN;
  }
  return s.value;
}

int64_t Symbols::primary(Line& line) {
  const Token t = line.take();
  switch (t.kind) {
    case Token::Kind::INTEGER:
      if (t.integer > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
        line.fail(t, fmt::format("number {} is too large", t.text), "numbers have at most 63 bits");
      return static_cast<int64_t>(t.integer);
    case Token::Kind::FLOAT:
      line.fail(t, "a fraction where an integer belongs",
                fmt::format("write f32({}) for its bits", t.text));
    case Token::Kind::IDENT:
      if (t.text == "f32" && line.peek().is("(")) {
        line.take();
        const double v = real(line);
        line.expect(")", "f32(1.5) gives the bits of a number in fp32");
        return std::bit_cast<uint32_t>(static_cast<float>(v));
      }
      return lookup(line, t);
    case Token::Kind::PUNCT:
      if (t.is("(")) {
        const int64_t v = binary(line, 0);
        line.expect(")", "close the parenthesis");
        return v;
      }
      break;
    default:
      break;
  }
  line.fail(t,
            t.kind == Token::Kind::END ? "a value is missing"
                                       : fmt::format("expected a value, found '{}'", t.text),
            "write a number, a label, a constant or an expression of them");
}

int64_t Symbols::unary(Line& line) {
  struct Guard {
    int& depth;
    ~Guard() { --depth; }
  } guard{++depth_};
  if (depth_ > kMaxDepth) line.fail(line.peek(), "the expression is nested too deeply", "");
  const Token t = line.peek();
  if (line.accept("-")) {
    int64_t r = 0;
    if (__builtin_sub_overflow(int64_t{0}, unary(line), &r))
      line.fail(t, "the value overflows 64 bits");
    return r;
  }
  if (line.accept("+")) return unary(line);
  if (line.accept("~")) return ~unary(line);
  return primary(line);
}

int64_t Symbols::binary(Line& line, int level) {
  constexpr int kProduct = static_cast<int>(std::size(kLevels));
  if (level == kProduct) {
    int64_t v = unary(line);
    while (line.peek().is("*") || line.peek().is("/") || line.peek().is("%")) {
      const Token t = line.take();
      const int64_t r = unary(line);
      bool overflow = false;
      if (t.is("*")) {
        overflow = __builtin_mul_overflow(v, r, &v);
      } else if (r == 0) {
        line.fail(t, "division by zero");
      } else if (r == -1) {  // the quotient of the smallest number does not exist
        overflow = t.is("/") && __builtin_sub_overflow(int64_t{0}, v, &v);
        if (t.is("%")) v = 0;
      } else {
        v = t.is("/") ? v / r : v % r;
      }
      if (overflow) line.fail(t, "the value overflows 64 bits");
    }
    return v;
  }
  int64_t v = binary(line, level + 1);
  while (line.peek().is(kLevels[level][0]) || line.peek().is(kLevels[level][1])) {
    const Token t = line.take();
    const int64_t r = binary(line, level + 1);
    bool overflow = false;
    if (t.is("|"))
      v |= r;
    else if (t.is("^"))
      v ^= r;
    else if (t.is("&"))
      v &= r;
    else if (t.is("+"))
      overflow = __builtin_add_overflow(v, r, &v);
    else if (t.is("-"))
      overflow = __builtin_sub_overflow(v, r, &v);
    else if (r < 0 || r > 62)
      line.fail(t, "shifts go from 0 to 62");
    else if (t.is(">>"))
      v >>= r;
    else
      overflow = __builtin_mul_overflow(v, int64_t{1} << r, &v);
    if (overflow) line.fail(t, "the value overflows 64 bits");
  }
  return v;
}

int64_t Symbols::expression(Line& line) { return binary(line, 0); }

int64_t Symbols::expression_in(Line& line, int64_t lo, int64_t hi, std::string_view what) {
  const Token first = line.peek();
  const int64_t v = expression(line);
  if (v < lo || v > hi) {
    const Token& last = line.tokens[line.at ? line.at - 1 : 0];
    line.fail_at(first.column, std::max(1, last.column + last.length - first.column),
                 fmt::format("{} is outside the range of {}", v, what),
                 fmt::format("it takes {} to {}", lo, hi));
  }
  return v;
}

double Symbols::real(Line& line) {
  const bool negative = line.accept("-");
  const Token t = line.take();
  double v = 0;
  if (t.kind == Token::Kind::FLOAT)
    v = t.real;
  else if (t.kind == Token::Kind::INTEGER)
    v = static_cast<double>(t.integer);
  else if (t.word("inf"))
    v = std::numeric_limits<double>::infinity();
  else if (t.word("nan"))
    v = std::numeric_limits<double>::quiet_NaN();
  else
    line.fail(t, "expected a number", "write 1.5, -2e-3, inf or nan");
  if (std::isfinite(v) && v > std::numeric_limits<float>::max())
    line.fail(t, fmt::format("{} does not fit fp32", t.text), "write inf for infinity");
  return negative ? -v : v;
}

}  // namespace ttpu::isa::internal
