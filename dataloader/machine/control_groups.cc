#include "dataloader/machine/control_groups.h"

#include <algorithm>
#include <charconv>

namespace carrack::data {
namespace {

// Takes the front of a text, up to the separator, off it.
std::string_view next(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view front = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return front;
}

std::string_view word_in(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\n"), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(" \t\n"));
  text.remove_prefix(word.size());
  return word;
}

std::optional<std::uint64_t> number_in(std::string_view text) {
  const std::string_view word = word_in(text);
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (word.empty() || error != std::errc() || stop != word.data() + word.size()) return std::nullopt;
  return number;
}

bool holds(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    if (next(list, ',') == word) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> groups_in(std::string_view proc_self_cgroup, std::string_view controller) {
  while (!proc_self_cgroup.empty()) {  // NUMBER:CONTROLLERS:/GROUP
    std::string_view line = next(proc_self_cgroup, '\n');
    next(line, ':');
    const std::string_view controllers = next(line, ':');
    if (controller.empty() ? !controllers.empty() : !holds(controllers, controller)) continue;
    std::vector<std::string> groups;
    for (; line.size() > 1 && line.starts_with('/'); line = line.substr(0, line.rfind('/'))) groups.emplace_back(line);
    groups.emplace_back();
    return groups;
  }
  return {};
}

std::optional<std::uint64_t> memory_limit_in(std::string_view text) {
  return number_in(text);  // "max" is none.
}

std::optional<double> cpu_limit_in(std::string_view cpu_max) {
  const std::string_view quota = word_in(cpu_max);
  return cpu_limit_in(quota, cpu_max);
}

std::optional<double> cpu_limit_in(std::string_view quota, std::string_view period) {
  const auto time = number_in(quota);  // "max" and -1 are none.
  const auto of = number_in(period);
  if (!time || !of || *time == 0 || *of == 0) return std::nullopt;
  return static_cast<double>(*time) / static_cast<double>(*of);
}

std::optional<std::uint64_t> memory_in(std::string_view proc_meminfo) {
  while (!proc_meminfo.empty()) {
    std::string_view line = next(proc_meminfo, '\n');
    if (word_in(line) != "MemTotal:") continue;
    const auto kilobytes = number_in(line);
    return kilobytes ? std::optional(*kilobytes * 1024) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace carrack::data
