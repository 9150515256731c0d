// The lines of the launch file, written and read by one list of them; docs/formats/launch.md is the format.
#pragma once

#include <algorithm>
#include <charconv>
#include <concepts>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "trainer/error.h"
#include "trainer/launch/spellings.h"

namespace carrack::train {

[[noreturn]] inline void broken(const std::string& where, const std::string& what) {
  throw Error(Blame::bug, where + ": " + what);
}

inline std::string text_of(const std::string& value) {
  return value;
}
inline std::string text_of(bool value) {
  return value ? "true" : "false";
}

template <class Number>
requires((std::integral<Number> || std::floating_point<Number>)&&!std::same_as<Number, bool>) std::string
    text_of(Number value) {
  char digits[40];
  return {digits, std::to_chars(std::begin(digits), std::end(digits), value).ptr};
}

template <class Enum>
requires std::is_enum_v<Enum> std::string text_of(Enum value) {
  return std::string(spelled(value));
}

constexpr std::string_view no_value = "-";

template <class Value>
std::string text_of(const std::optional<Value>& value) {
  return value ? text_of(*value) : std::string(no_value);
}

inline bool parse(std::string_view text, std::string& value) {
  value = text;
  return true;
}

inline bool parse(std::string_view text, bool& value) {
  value = text == "true";
  return value || text == "false";
}

template <class Number>
requires((std::integral<Number> ||
          std::floating_point<Number>)&&!std::same_as<Number, bool>) bool parse(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

template <class Enum>
requires std::is_enum_v<Enum>
bool parse(std::string_view text, Enum& value) {
  for (const auto& spelling : spellings<Enum>) {
    if (spelling.text == text) {
      value = spelling.value;
      return true;
    }
  }
  return false;
}

template <class Value>
bool parse(std::string_view text, std::optional<Value>& value) {
  value.reset();
  return text == no_value || parse(text, value.emplace());
}

// Several values on one line; the last one may hold blanks.
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

class LineWriter {
 public:
  template <class... Values>
  void line(std::string_view key, const Values&... values) {
    std::string text(key);
    ((text += ' ', text += text_of(values)), ...);
    if (text.find_first_of("\n\r") != std::string::npos) {
      throw Error(Blame::user, std::string(key) + ": holds a line break, which no process can be told");
    }
    text_ += text + '\n';
  }

  template <class Element, class Line>
  void each(std::string_view, std::vector<Element>& elements, Line line_of) {
    for (Element& element : elements) line_of(element);
  }

  template <class Kind>
  void first_word(std::string_view, Kind&) {}

  std::string text() { return std::move(text_); }

 private:
  std::string text_;
};

class LineReader {
 public:
  explicit LineReader(std::string_view text) {
    for (int number = 1; !text.empty(); ++number) {
      const std::size_t end = text.find('\n');
      if (end == std::string_view::npos) broken(where(number), "does not end; the file is cut off");
      add(number, text.substr(0, end));
      text.remove_prefix(end + 1);
    }
  }

  template <class... Values>
  void line(std::string_view key, Values&... values) {
    const auto found = next_of(key);
    if (found == lines_.end()) broken("launch file", "has no '" + std::string(key) + "'");
    if (!parse_all(found->value, values...)) {
      broken(where(found->number), std::string(key) + ": cannot be '" + std::string(found->value) + "'");
    }
    lines_.erase(found);
  }

  template <class Element, class Line>
  void each(std::string_view key, std::vector<Element>& elements, Line line_of) {
    elements.clear();
    while (next_of(key) != lines_.end()) line_of(elements.emplace_back());
  }

  // The word that a line begins with says what else it holds.
  template <class Kind>
  void first_word(std::string_view key, Kind& kind) {
    const auto found = next_of(key);
    if (found == lines_.end() || !parse(found->value.substr(0, found->value.find(' ')), kind))
      broken("launch file", "has a '" + std::string(key) + "' that this trainer does not know");
  }

  void end() const {
    if (lines_.empty()) return;
    const auto& line = lines_.front();
    broken(where(line.number), "'" + std::string(line.key) + "' is unknown to this trainer, or there twice");
  }

 private:
  struct Line {
    int number;
    std::string_view key;
    std::string_view value;
  };

  static std::string where(int number) { return "launch file, line " + std::to_string(number); }

  void add(int number, std::string_view line) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos) broken(where(number), "is no 'key value'");
    lines_.push_back({number, line.substr(0, blank), line.substr(blank + 1)});
  }

  std::vector<Line>::iterator next_of(std::string_view key) {
    return std::find_if(lines_.begin(), lines_.end(), [&](const Line& line) { return line.key == key; });
  }

  std::vector<Line> lines_;
};

}  // namespace carrack::train
