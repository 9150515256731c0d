// Reads tokens from the front of a JSON text, RFC 8259 with NaN and Infinity as in Python's json. Safe for any bytes;
// the depth of nesting is bounded.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace carrack::data {

class JsonScanner {
 public:
  static constexpr int depth_max = 64;

  // Strings with escapes are unescaped in place.
  explicit JsonScanner(std::span<char> text) : text_(text) {}

  // The next character behind white space; '\0' at the end.
  char peek();
  // True if only white space is left.
  bool at_end();
  // Takes this token and returns true if it is the next one.
  bool take(char token);
  bool take(std::string_view word);
  // Takes a string; nullopt if there is none, and then problem() says why.
  std::optional<std::string_view> string();
  // Takes a number and returns its text, likewise.
  std::optional<std::string_view> number();
  // Takes any value; false if there is none.
  bool skip() { return skip(0); }

  std::size_t at() const { return at_; }
  // Records a problem at the present place, unless there is one already. Returns false.
  bool fail(const char* problem);
  const char* problem() const { return problem_; }
  std::size_t problem_at() const { return problem_at_; }

 private:
  bool take_here(std::string_view word);
  bool skip(int depth);
  bool skip_members(int depth);
  bool skip_items(int depth);
  bool unescape(std::size_t& to);
  std::optional<unsigned> four_digits();

  std::span<char> text_;
  std::size_t at_ = 0;
  const char* problem_ = nullptr;
  std::size_t problem_at_ = 0;
};

}  // namespace carrack::data
