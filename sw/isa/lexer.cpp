#include "isa/lexer.h"

#include <fmt/format.h>

#include <charconv>

#include "isa/suggest.h"

namespace ttpu::isa {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_first(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
}
bool is_word(char c) { return is_first(c) || is_digit(c); }

struct Lexer {
  std::string_view line;
  size_t at = 0;

  [[noreturn]] void fail(size_t from, size_t to, std::string message, std::string hint = "") const {
    throw LexError{static_cast<int>(from) + 1, static_cast<int>(std::max(from + 1, to) - from),
                   std::move(message), std::move(hint)};
  }

  Token make(Token::Kind kind, size_t from) const {
    Token t;
    t.kind = kind;
    t.column = static_cast<int>(from) + 1;
    t.length = static_cast<int>(std::max(at, from + 1) - from);
    t.text = line.substr(from, at - from);
    return t;
  }

  Token number() {
    const size_t from = at;
    int base = 10;
    if (line[at] == '0' && at + 1 < line.size() && (line[at + 1] == 'x' || line[at + 1] == 'X')) {
      base = 16;
      at += 2;
    } else if (line[at] == '0' && at + 1 < line.size() &&
               (line[at + 1] == 'b' || line[at + 1] == 'B')) {
      base = 2;
      at += 2;
    }
    std::string digits;
    bool real = false;
    while (at < line.size()) {
      const char c = line[at];
      const bool exponent_sign = base == 10 && (c == '+' || c == '-') && !digits.empty() &&
                                 (digits.back() == 'e' || digits.back() == 'E');
      if (!is_word(c) && !exponent_sign) break;
      if (c != '_') digits += c;
      if (base == 10 && (c == '.' || c == 'e' || c == 'E')) real = true;
      ++at;
    }
    Token t = make(real ? Token::Kind::FLOAT : Token::Kind::INTEGER, from);
    const char *first = digits.data(), *last = first + digits.size();
    const auto r =
        real ? std::from_chars(first, last, t.real) : std::from_chars(first, last, t.integer, base);
    if (r.ec == std::errc::result_out_of_range)
      fail(from, at, fmt::format("number {} is too large", t.text),
           real ? "write inf for infinity" : "numbers have at most 64 bits");
    if (r.ec != std::errc() || r.ptr != last)
      fail(from, at, fmt::format("bad number '{}'", t.text),
           "write 42, 0x2a, 0b101010, 1_000_000 or 1.5e-3");
    return t;
  }

  Token string() {
    const size_t from = at++;
    std::string value;
    while (true) {
      if (at >= line.size()) fail(from, at, "string without an end", "close it with \"");
      const char c = line[at++];
      if (c == '"') break;
      if (c != '\\') {
        value += c;
        continue;
      }
      const char e = at < line.size() ? line[at++] : '\0';
      if (e == 'n') {
        value += '\n';
      } else if (e == 't') {
        value += '\t';
      } else if (e == '"' || e == '\\') {
        value += e;
      } else if (e == 'x') {
        unsigned v = 0;
        const auto hex = line.substr(std::min(at, line.size()), 2);
        const auto r = std::from_chars(hex.data(), hex.data() + hex.size(), v, 16);
        if (hex.size() != 2 || r.ptr != hex.data() + 2)
          fail(at - 2, at + 2, "bad escape in a string", "write \\x and two hexadecimal digits");
        value += static_cast<char>(v);
        at += 2;
      } else {
        fail(at - 1, at, "bad escape in a string", R"(known: \n, \t, \", \\, \xHH)");
      }
    }
    Token t = make(Token::Kind::STRING, from);
    t.string = std::move(value);
    return t;
  }

  Token next() {
    while (at < line.size() && (line[at] == ' ' || line[at] == '\t' || line[at] == '\r')) ++at;
    const size_t from = at;
    if (at >= line.size() || line[at] == '#') return make(Token::Kind::END, from);
    const char c = line[at];
    if (is_digit(c)) return number();
    if (is_first(c)) {
      while (at < line.size() && is_word(line[at])) ++at;
      return make(Token::Kind::IDENT, from);
    }
    if (c == '"') return string();
    if (line.substr(at, 2) == "<<" || line.substr(at, 2) == ">>") {
      at += 2;
      return make(Token::Kind::PUNCT, from);
    }
    if (std::string_view(":=,[]()+-*/%&|^~").find(c) != std::string_view::npos) {
      if (line.substr(at, 2) == "//")
        fail(from, from + 2, "unexpected '//'", "comments begin with #");
      ++at;
      return make(Token::Kind::PUNCT, from);
    }
    const bool printable = c > ' ' && c < 0x7f;
    fail(from, from + 1,
         printable ? fmt::format("unexpected character '{}'", c)
                   : fmt::format("unexpected byte 0x{:02x}", static_cast<unsigned char>(c)),
         c == ';' ? "comments begin with #" : "");
  }
};

}  // namespace

bool Token::word(std::string_view name) const {
  return kind == Kind::IDENT && lower(text) == lower(name);
}

std::vector<Token> lex(std::string_view line) {
  Lexer lexer{line};
  std::vector<Token> tokens;
  do {
    tokens.push_back(lexer.next());
  } while (tokens.back().kind != Token::Kind::END);
  return tokens;
}

std::string quote(std::string_view text) {
  std::string r = "\"";
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      r += '\\';
      r += c;
    } else if (c == '\n') {
      r += "\\n";
    } else if (u < 0x20 || u == 0x7f) {
      r += fmt::format("\\x{:02x}", u);
    } else {
      r += c;
    }
  }
  return r + '"';
}

bool is_identifier(std::string_view text) {
  if (text.empty() || !is_first(text[0])) return false;
  for (const char c : text)
    if (!is_word(c)) return false;
  return true;
}

}  // namespace ttpu::isa
