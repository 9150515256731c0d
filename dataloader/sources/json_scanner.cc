#include "dataloader/sources/json_scanner.h"

#include <algorithm>
#include <charconv>

#include "dataloader/text.h"

namespace carrack::data {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_plain(char c) {
  return c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20;
}

// Writes the character `code` as UTF-8 into `text` at `at`, and moves `at` after it. This overwrites the escape that
// was decoded, such as \u00e9, which is never shorter than the character.
void write(unsigned code, char* text, std::size_t& at) {
  const auto put = [&](unsigned byte) { text[at++] = static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
    return;
  }
  if (code < 0x800) {
    put(0xc0 | code >> 6);
  } else {
    if (code < 0x10000) {
      put(0xe0 | code >> 12);
    } else {
      put(0xf0 | code >> 18);
      put(0x80 | (code >> 12 & 0x3f));
    }
    put(0x80 | (code >> 6 & 0x3f));
  }
  put(0x80 | (code & 0x3f));
}

}  // namespace

char JsonScanner::peek() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r' || text_[at_] == '\n'))
    ++at_;
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool JsonScanner::at_end() {
  peek();
  return at_ == text_.size();
}

bool JsonScanner::take(char token) {
  if (peek() != token) return false;
  ++at_;
  return true;
}

bool JsonScanner::take(std::string_view word) {
  peek();
  return take_here(word);
}

bool JsonScanner::take_here(std::string_view word) {
  if (!std::string_view(text_.data() + at_, text_.size() - at_).starts_with(word)) return false;
  at_ += word.size();
  return true;
}

bool JsonScanner::fail(const char* problem) {
  if (problem_ == nullptr) {
    problem_ = problem;
    problem_at_ = at_;
  }
  return false;
}

std::optional<std::string_view> JsonScanner::string() {
  if (!take('"')) return std::nullopt;
  const std::size_t begin = at_;
  while (at_ < text_.size() && is_plain(text_[at_])) ++at_;
  std::size_t to = at_;
  while (at_ < text_.size() && text_[at_] != '"') {
    if (is_plain(text_[at_])) {
      text_[to++] = text_[at_++];
    } else if (text_[at_] != '\\') {
      fail("a string has a control character in it");
      return std::nullopt;
    } else if (!unescape(to)) {
      return std::nullopt;
    }
  }
  if (at_ == text_.size()) {
    fail("a string does not end");
    return std::nullopt;
  }
  ++at_;
  return std::string_view(text_.data() + begin, to - begin);
}

// Decodes the escape at at_, writes its character at `to`, and moves both. Returns false if the escape is malformed.
bool JsonScanner::unescape(std::size_t& to) {
  constexpr std::string_view letters = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
  const char letter = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
  const std::size_t found = letters.find(letter);
  if (found != letters.npos) {
    at_ += 2;
    text_[to++] = meant[found];
    return true;
  }
  std::optional<unsigned> code = four_digits();
  if (!code) return fail("a string has an escape that JSON does not have");
  if (*code >= 0xd800 && *code < 0xe000) {
    const std::optional<unsigned> low = *code < 0xdc00 ? four_digits() : std::nullopt;
    if (!low || *low < 0xdc00 || *low >= 0xe000) return fail("a string has half a surrogate pair in it");
    code = 0x10000 + ((*code - 0xd800) << 10) + (*low - 0xdc00);
  }
  write(*code, text_.data(), to);
  return true;
}

// Consumes an escape \uXXXX and returns the number XXXX; nullopt if no such escape comes next.
std::optional<unsigned> JsonScanner::four_digits() {
  if (text_.size() - at_ < 6 || text_[at_] != '\\' || text_[at_ + 1] != 'u') return std::nullopt;
  unsigned code = 0;
  const char* const digits = text_.data() + at_ + 2;
  if (std::from_chars(digits, digits + 4, code, 16).ptr != digits + 4) return std::nullopt;
  at_ += 6;
  return code;
}

std::optional<std::string_view> JsonScanner::number() {
  peek();
  const std::size_t begin = at_;
  const auto digits = [&] {
    const std::size_t from = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    return at_ > from;
  };
  const auto next_is = [&](char c) { return at_ < text_.size() && text_[at_] == c; };
  const auto taken = [&] { return std::string_view(text_.data() + begin, at_ - begin); };
  if (next_is('-')) ++at_;
  if (take_here("Infinity") || (at_ == begin && take_here("NaN"))) return taken();
  const bool is_zero = next_is('0');
  const std::size_t whole = at_;
  bool is_number = digits() && !(is_zero && at_ > whole + 1);
  if (is_number && next_is('.')) {
    ++at_;
    is_number = digits();
  }
  if (is_number && (next_is('e') || next_is('E'))) {
    ++at_;
    if (next_is('+') || next_is('-')) ++at_;
    is_number = digits();
  }
  if (is_number) return taken();
  at_ = begin;
  return std::nullopt;
}

bool JsonScanner::skip(int depth) {
  if (depth > depth_max) return fail("values are nested deeper than 64");
  switch (peek()) {
    case '{':
      return skip_members(depth);
    case '[':
      return skip_items(depth);
    case '"':
      return string().has_value();
    default:
      return number() || take(std::string_view("true")) || take(std::string_view("false")) ||
             take(std::string_view("null")) || fail("no value begins here");
  }
}

bool JsonScanner::skip_members(int depth) {
  take('{');
  if (take('}')) return true;
  do {
    if (!string()) return fail("a name in quotes was expected");
    if (!take(':')) return fail("a colon was expected");
    if (!skip(depth + 1)) return false;
  } while (take(','));
  return take('}') || fail("a comma or } was expected");
}

bool JsonScanner::skip_items(int depth) {
  take('[');
  if (take(']')) return true;
  do {
    if (!skip(depth + 1)) return false;
  } while (take(','));
  return take(']') || fail("a comma or ] was expected");
}

std::vector<std::string> json_words(std::span<const std::string> strings) {
  std::vector<std::string> words;
  for (const std::string& string : strings) words.push_back(json_string(string));
  return words;
}

}  // namespace carrack::data
