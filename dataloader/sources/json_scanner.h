// Takes a JSON text apart from its front, RFC 8259, as Python's json does: with NaN and Infinity. Nothing is believed
// of what lies ahead, and nothing is nested deeper than a bound.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace carrack::data {

class JsonScanner {
 public:
  static constexpr int deepest = 64;

  // A string that has escapes is written without them where it lies.
  explicit JsonScanner(std::span<char> text) : text_(text) {}

  // The next character behind white space; 0 at the end.
  char peek();
  // Nothing but white space is left.
  bool at_end();
  // Whether it is this one, which then is taken.
  bool take(char wanted);
  bool take(std::string_view word);
  // The string that begins here; nothing where none does, or it is none: see problem().
  std::optional<std::string_view> string();
  // The text of the number that begins here, likewise.
  std::optional<std::string_view> number();
  // Any value; false where it is none.
  bool skip() { return skip(0); }

  std::size_t at() const { return at_; }
  // What is wrong, and where. What was found first stays.
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
