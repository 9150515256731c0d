#include "dataloader/machine/control_groups.h"

#include <algorithm>
#include <charconv>

namespace carrack::data {
namespace {

// Removes the text up to and including the first separator from the front; all of it if there is none. Returns the
// removed text without the separator.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view front = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return front;
}

// Removes leading white space and the first word from the front. Returns the word.
std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\n"), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(" \t\n"));
  text.remove_prefix(word.size());
  return word;
}

// Returns the number in the first word of a text; nullopt if the word is not a number.
std::optional<std::uint64_t> number_from(std::string_view text) {
  const std::string_view word = take_word(text);
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (word.empty() || error != std::errc() || stop != word.data() + word.size()) return std::nullopt;
  return number;
}

// Returns whether one of the words in a list that is separated by commas is `word`.
bool contains(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    if (take_until(list, ',') == word) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> groups_in(std::string_view proc_self_cgroup, std::string_view controller) {
  while (!proc_self_cgroup.empty()) {  // Each line is NUMBER:CONTROLLERS:/GROUP.
    std::string_view line = take_until(proc_self_cgroup, '\n');
    take_until(line, ':');
    const std::string_view controllers = take_until(line, ':');
    // The line of version 2 has no controllers, so an empty `controller` selects that line.
    if (controller.empty() ? !controllers.empty() : !contains(controllers, controller)) continue;
    std::vector<std::string> groups;
    // Adds the group, then its parent, and so on up to the root, whose path is "".
    for (; line.size() > 1 && line.starts_with('/'); line = line.substr(0, line.rfind('/'))) groups.emplace_back(line);
    groups.emplace_back();
    return groups;
  }
  return {};
}

std::optional<std::uint64_t> memory_limit_in(std::string_view text) {
  return number_from(text);  // "max" means no limit. It is not a number, so the result is nullopt.
}

std::optional<double> cpu_limit_in(std::string_view cpu_max) {
  const std::string_view quota = take_word(cpu_max);
  return cpu_limit_in(quota, cpu_max);
}

std::optional<double> cpu_limit_in(std::string_view quota, std::string_view period) {
  const auto quota_us = number_from(quota);  // nullopt for "max" and -1, which mean no limit
  const auto period_us = number_from(period);
  if (!quota_us || !period_us || *quota_us == 0 || *period_us == 0) return std::nullopt;
  return static_cast<double>(*quota_us) / static_cast<double>(*period_us);
}

std::optional<std::uint64_t> memory_in(std::string_view proc_meminfo) {
  while (!proc_meminfo.empty()) {
    std::string_view line = take_until(proc_meminfo, '\n');
    if (take_word(line) != "MemTotal:") continue;
    const auto kilobytes = number_from(line);
    return kilobytes ? std::optional(*kilobytes * 1024) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace carrack::data
