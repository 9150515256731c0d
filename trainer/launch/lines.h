// LineWriter and LineReader, which write and read the lines `key value...` of the config file (launch.h). They have the
// same member functions, so one template can list the lines of the file for both directions (launch.cc, data_lines.h):
//     template <class Lines> void list(Lines& lines, Training& t) { lines.line("training.batch", t.batch); }
// writes "training.batch 64" with a LineWriter, and sets t.batch to 64 with a LineReader. docs/formats/launch.md
// specifies the format.
#pragma once

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <deque>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "trainer/error.h"
#include "trainer/launch/layers.h"
#include "trainer/launch/spellings.h"

namespace carrack::train {

// The values in a line: to_text() returns the text of a value, and parse() sets `value` from such a text. For any other
// text parse() returns false, and `value` is then unspecified. An empty vector has an empty text, which parse()
// refuses.
template <class Value>
concept Number = (std::integral<Value> || std::floating_point<Value>)&&!std::same_as<Value, bool>;

template <class Value>
concept Enum = std::is_enum_v<Value>;

constexpr std::string_view no_value = "-";  // the text of an optional without a value

inline std::string to_text(const std::string& value) {
  return value;
}

inline std::string to_text(bool value) {
  return value ? "true" : "false";
}

std::string to_text(Number auto value) {
  char digits[40];
  return {digits, std::to_chars(std::begin(digits), std::end(digits), value).ptr};
}

std::string to_text(Enum auto value) {
  return std::string(spelled(value));
}

inline std::string to_text(const Choice& value) {
  return std::string(value.text());
}

// Returns a text such as "64,8".
template <Number Value>
std::string to_text(const std::vector<Value>& values) {
  std::string text;
  for (const Value& value : values) text += (text.empty() ? "" : ",") + to_text(value);
  return text;
}

template <class Value>
std::string to_text(const std::optional<Value>& value) {
  return value ? to_text(*value) : std::string(no_value);
}

inline bool parse(std::string_view text, Choice& value) {
  return value.choose(text);
}

inline bool parse(std::string_view text, std::string& value) {
  value = text;
  return true;
}

inline bool parse(std::string_view text, bool& value) {
  value = text == "true";
  return value || text == "false";
}

bool parse(std::string_view text, Number auto& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

template <Enum Value>
bool parse(std::string_view text, Value& value) {
  const auto found = std::ranges::find(spellings<Value>, text, &Spelling<Value>::text);
  if (found == std::end(spellings<Value>)) return false;
  value = found->value;
  return true;
}

template <Number Value>
bool parse(std::string_view text, std::vector<Value>& values) {
  values.clear();
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = text.find(',');
    if (!parse(text.substr(0, end), values.emplace_back())) return false;
    if (end != std::string_view::npos) text.remove_prefix(end + 1);
  }
  return true;
}

template <class Value>
bool parse(std::string_view text, std::optional<Value>& value) {
  value.reset();
  return text == no_value || parse(text, value.emplace());
}

// Sets several values from one line, in which they are separated by single spaces. Only the last one may contain
// spaces. Returns false if one cannot be read.
template <class First, class... Rest>
bool parse_all(std::string_view text, First& first, Rest&... rest) {
  if constexpr (sizeof...(Rest) == 0) {
    return parse(text, first);
  } else {
    const std::size_t blank = text.find(' ');
    return blank != std::string_view::npos && parse(text.substr(0, blank), first) &&
           parse_all(text.substr(blank + 1), rest...);
  }
}

// Throws an Error for a fault of the file or of an environment variable, with the message "WHERE: WHAT". It has
// Blame::bug, because the operator writes them, not the user.
[[noreturn]] inline void throw_malformed(const std::string& where, const std::string& what) {
  throw Error(Blame::bug, where + ": " + what);
}

// Collects the lines of a file.
class LineWriter {
 public:
  // Appends the line `key value value...`. Only the last value may contain spaces, which is not checked. Throws Error
  // with Blame::user if a value contains a line break.
  template <class... Values>
  void line(std::string_view key, const Values&... values) {
    std::string text(key);
    ((text += ' ', text += to_text(values)), ...);
    if (text.find_first_of("\n\r") != std::string::npos)
      throw Error(Blame::user, std::string(key) + ": must not contain a line break");
    text_ += text + '\n';
  }

  // For a list: calls list_element(element) for each element. It must write at least one line with the key, so that
  // LineReader finds the element.
  template <class Element, class List>
  void each(std::string_view, std::vector<Element>& elements, List list_element) {
    for (Element& element : elements) list_element(element);
  }

  // Does nothing; LineReader reads the kind here.
  template <class Kind, class IsKnown>
  void peek_kind(std::string_view, Kind&, IsKnown) {}

  // Returns all lines. Call it once, at the end.
  std::string text() { return std::move(text_); }

 private:
  std::string text_;
};

// Reads the lines of a file by their keys. Each line can be read once.
class LineReader {
 public:
  // `text`, the content of the file, must outlive this. All member functions throw Error with Blame::bug if the text is
  // malformed.
  explicit LineReader(std::string_view text) {
    for (int number = 1; !text.empty(); ++number) {
      const std::size_t end = text.find('\n');
      if (end == std::string_view::npos) throw_malformed(where(number), "does not end; the file is cut off");
      add(number, text.substr(0, end));
      text.remove_prefix(end + 1);
    }
  }

  // Sets the values from the first line with this key that was not read yet. It is malformed if there is no such line.
  template <class... Values>
  void line(std::string_view key, Values&... values) {
    const auto found = first_of(key);
    if (found == lines_.end()) throw_malformed("launch file", "has no '" + std::string(key) + "'");
    if (!parse_all(found->value, values...)) throw_unfit(*found);
    lines_.erase(found);
  }

  // For a list: replaces `elements` by one element for each line with this key that was not read yet. Calls
  // list_element(element) for each, which must read that line.
  template <class Element, class List>
  void each(std::string_view key, std::vector<Element>& elements, List list_element) {
    elements.clear();
    while (first_of(key) != lines_.end()) list_element(elements.emplace_back());
  }

  // Sets `kind` from the first word of the line that line() would read next for this key, without reading the line. So
  // the caller knows which values the line has. Does nothing if there is no such line, because line() reports that.
  // `is_known` returns whether files of this version may contain the word; the text is malformed if not.
  template <class Kind, class IsKnown>
  void peek_kind(std::string_view key, Kind& kind, IsKnown is_known) {
    const auto found = first_of(key);
    if (found == lines_.end()) return;
    if (!parse(found->value.substr(0, found->value.find(' ')), kind) || !is_known()) throw_unfit(*found);
  }

  // Call it at the end: throws if any line was not read.
  void end() const {
    if (lines_.empty()) return;
    const auto& line = lines_.front();
    throw_malformed(where(line.number), "'" + std::string(line.key) + "' is unknown to this trainer, or appears twice");
  }

 private:
  struct Line {
    int number;
    std::string_view key;
    std::string_view value;
  };

  [[noreturn]] static void throw_unfit(const Line& line) {
    throw_malformed(where(line.number), std::string(line.key) + ": cannot be '" + std::string(line.value) + "'");
  }

  static std::string where(int number) { return "launch file, line " + std::to_string(number); }

  void add(int number, std::string_view line) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos) throw_malformed(where(number), "is not 'key value'");
    lines_.push_back({number, line.substr(0, blank), line.substr(blank + 1)});
  }

  std::deque<Line>::iterator first_of(std::string_view key) { return std::ranges::find(lines_, key, &Line::key); }

  std::deque<Line> lines_;  // a deque, because most lines are removed near the front
};

}  // namespace carrack::train
