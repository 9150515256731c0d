#include "dataloader/cli/summary/yaml_text.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "dataloader/text.h"

namespace carrack::data::cli {
namespace {

// True if the word without quotes is a boolean or null in YAML 1.1, the version that kubectl reads.
bool is_yaml_word(std::string name) {
  constexpr std::array<std::string_view, 9> words = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"};
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
  return std::find(words.begin(), words.end(), name) != words.end();
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace

std::string yaml_text(const std::string& text) {
  const bool is_plain = !text.empty() && is_letter(text[0]) && std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '/' || c == '.' || c == '-';
  });
  return is_plain && !is_yaml_word(text) ? text : json_string(text);
}

}  // namespace carrack::data::cli
