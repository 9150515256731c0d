// JsonScanner: reads a JSON text token by token, without building a tree, for JSON lines and other files whose
// structure the caller expects. RFC 8259, with NaN, Infinity and -Infinity as in Python's json. Safe for any bytes;
// strings are not checked to be UTF-8. Never throws: functions return false or nullopt. Not thread-safe.
//   JsonScanner json(text);  // {"a": 1}
//   json.take('{'); json.string(); json.take(':'); json.number();  // returns true, "a", true, "1"
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

  // The results of string() and number() point into `text`, which must outlive them and this. string() decodes escapes
  // in place, so it modifies the text; a copy of this scanner must not read such a string again.
  explicit JsonScanner(std::span<char> text) : text_(text) {}

  // Consumes white space and returns the next character without consuming it; '\0' at the end.
  char peek();
  // True if only white space is left.
  bool at_end();
  // If this token comes next, after white space, consumes it and returns true. Else consumes only white space and
  // returns false, without recording a problem. The character after a word is not checked: take("true") also matches
  // the front of "trueish".
  bool take(char token);
  bool take(std::string_view word);
  // Consumes a string and returns its content, with escapes decoded. Returns nullopt if no string comes next, without
  // recording a problem, and if the string is malformed, which it records as a problem.
  std::optional<std::string_view> string();
  // Consumes a number and returns its text. Returns nullopt if no number comes next, without recording a problem.
  std::optional<std::string_view> number();
  // Consumes a value of any type. If no valid value comes next, records a problem and returns false.
  bool skip() { return skip(0); }

  // The offset in the text of the next byte that is not consumed.
  std::size_t at() const { return at_; }
  // Records a problem at at(), unless one is recorded already. Always returns false, for `return json.fail("...")`.
  // `problem` is not copied: pass a literal. A problem does not stop later calls.
  bool fail(const char* problem);
  // The first problem that was recorded, a message for the user, and its offset in the text; nullptr if there is none.
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

// Returns each string as json_string() (text.h) writes it, with quotes and escapes.
std::vector<std::string> json_words(std::span<const std::string> strings);

// Consumes an object. Calls read_value(name) at each value, in the order of the text and also for a name that occurs
// again. read_value() must consume the value, for example by json.skip(), and return true; or it returns false to stop.
// Returns true if the object was read to its end. Returns false if it was stopped, or if the object is malformed, which
// is also recorded as a problem.
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
