// Tokens of an assembler line.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ttpu::isa {

struct Token {
  enum class Kind { END, IDENT, INTEGER, FLOAT, STRING, PUNCT };
  Kind kind = Kind::END;
  int column = 1;         ///< from 1
  int length = 1;         ///< bytes
  std::string_view text;  ///< as written
  uint64_t integer = 0;   ///< INTEGER
  double real = 0;        ///< FLOAT
  std::string string;     ///< STRING, escapes resolved
  bool is(std::string_view punct) const { return kind == Kind::PUNCT && text == punct; }
  bool word(std::string_view name) const;  ///< an IDENT of that name, case ignored
};

/// What went wrong, and where.
struct LexError {
  int column = 1, length = 1;
  std::string message, hint;
};

/// Tokens of one line, always ended by END. Throws LexError.
std::vector<Token> lex(std::string_view line);

/// `text` as a STRING token.
std::string quote(std::string_view text);

/// True if `text` is a plain identifier.
bool is_identifier(std::string_view text);

}  // namespace ttpu::isa
