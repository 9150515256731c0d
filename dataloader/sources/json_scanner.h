// Reads tokens from the front of a JSON text: RFC 8259, with NaN, Infinity and -Infinity as in Python's json. Safe for
// any bytes; strings are not checked to be UTF-8. Never throws. Not thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carrack::data {

class JsonScanner {
 public:
  // skip() refuses values that are nested deeper than this.
  static constexpr int depth_max = 64;

  // `text` must outlive this and everything that string() and number() return, which points into it. string() decodes
  // escapes in place, so it modifies the text; a copy of this must not read such a string again.
  explicit JsonScanner(std::span<char> text) : text_(text) {}

  // Skips white space and returns the next character without consuming it; '\0' at the end.
  char peek();
  // True if only white space is left.
  bool at_end();
  // If this token comes next, consumes it and returns true. Else consumes only white space and returns false, without
  // recording a problem. What follows a word is not checked: take("true") also matches the front of "trueish".
  bool take(char token);
  bool take(std::string_view word);
  // Consumes a string and returns its content. Returns nullopt if no string comes next, without recording a problem,
  // and if the string is malformed, which it records as a problem.
  std::optional<std::string_view> string();
  // Consumes a number and returns its text. Returns nullopt if no number comes next, without recording a problem.
  std::optional<std::string_view> number();
  // Consumes a value of any type. If that is impossible, records a problem and returns false.
  bool skip() { return skip(0); }

  // The offset in the text of the next byte that is not consumed.
  std::size_t at() const { return at_; }
  // Records a problem at at(), unless one is recorded already. Returns false. `problem` is not copied.
  bool fail(const char* problem);
  // The first problem, and the offset where it was found; nullptr if there is none.
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

// Returns each string as JSON writes it, with quotes and escapes.
std::vector<std::string> json_words(std::span<const std::string> strings);

// Consumes an object. Calls read_value(name) at each value, which must consume the value and return true, or return
// false to stop. Returns false if it was stopped, or the object is malformed; the latter is recorded as a problem.
template <class ReadValue>
bool read_object(JsonScanner& json, const ReadValue& read_value) {
  if (!json.take('{')) return json.fail("an object was expected");
  if (json.take('}')) return true;
  do {
    const auto name = json.string();
    if (!name) return json.fail("a name in quotes was expected");
    if (!json.take(':')) return json.fail("a colon was expected");
    if (!read_value(*name)) return false;
  } while (json.take(','));
  return json.take('}') || json.fail("a comma or } was expected");
}

}  // namespace carrack::data
