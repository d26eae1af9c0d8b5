// Parts of the assembler that its files share.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "isa/asm.h"
#include "isa/generated/configs_gen.h"
#include "isa/generated/isa_gen.h"
#include "isa/lexer.h"

namespace ttpu::isa::internal {

/// Thrown at the first error of a statement; assemble() collects them.
struct Failure {
  Diagnostic diagnostic;
};

/// A line of source with a reading position.
struct Line {
  int number = 0;
  std::string_view text;
  std::vector<Token> tokens;
  size_t at = 0;

  const Token& peek(size_t ahead = 0) const {
    return tokens[std::min(at + ahead, tokens.size() - 1)];
  }
  const Token& take() {
    const Token& t = peek();
    if (at + 1 < tokens.size()) ++at;
    return t;
  }
  bool accept(std::string_view punct) {
    if (!peek().is(punct)) return false;
    take();
    return true;
  }
  bool done() const { return peek().kind == Token::Kind::END; }

  [[noreturn]] void fail(const Token& at_token, std::string message, std::string hint = "") const;
  [[noreturn]] void fail_at(int column, int length, std::string message, std::string hint) const;
  void expect(std::string_view punct, std::string_view hint);
  /// Fail unless the line ends here.
  void expect_end();
};

/// Labels and constants, and the evaluation of expressions over them.
class Symbols {
 public:
  explicit Symbols(const Config** config) : config_(config) {}

  void define_label(Line& line, const Token& name, uint32_t pc);
  /// `line` stands at the first token of the expression, which is kept unevaluated.
  void define_constant(Line line, const Token& name);
  /// Check every constant, so that a wrong one that nobody uses is reported, too.
  void check_all(std::vector<Diagnostic>& errors);

  /// Value of the expression at the line's position.
  int64_t expression(Line& line);
  /// The same, refused outside lo..hi; `what` names the place.
  int64_t expression_in(Line& line, int64_t lo, int64_t hi, std::string_view what);
  /// A floating-point constant: [-](number|inf|nan).
  double real(Line& line);

 private:
  struct Symbol {
    bool is_label = false;
    int64_t value = 0;
    enum class State { UNKNOWN, RUNNING, KNOWN, BAD } state = State::UNKNOWN;
    Line line;
    std::string_view name;
  };
  int64_t binary(Line& line, int level);
  int64_t unary(Line& line);
  int64_t primary(Line& line);
  int64_t lookup(Line& line, const Token& name);
  void add(Line& line, const Token& name, Symbol symbol);

  const Config** config_;
  std::map<std::string, Symbol, std::less<>> symbols_;
  int depth_ = 0;
};

/// Largest HBM address and size that a text may name.
inline constexpr int64_t kMaxAddr = int64_t{1} << 40;

/// The rest of a .input or .output line; `bytes` is what it takes of HBM.
ProgramTensor parse_tensor(Line& line, Symbols& symbols, uint64_t* bytes);

/// The instruction at the line's position (its mnemonic).
Instr parse_instruction(Line& line, Symbols& symbols);

}  // namespace ttpu::isa::internal
