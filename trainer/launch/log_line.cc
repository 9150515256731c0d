#include "trainer/launch/log_line.h"

#include <algorithm>

namespace carrack::train {

constexpr std::string_view log_mark = "log: ";

std::string log_line(std::string_view text) {
  std::string line = std::string(log_mark).append(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

std::string without_log_lines(std::string_view printed) {
  // Kubernetes cuts the beginning off a longer text. The rest of a cut first line has no mark, so it is removed.
  const std::size_t second_line = printed.find('\n') + 1;
  if (printed.size() >= termination_message_max && second_line > 0 && second_line < printed.size())
    printed.remove_prefix(second_line);
  std::string message;
  while (!printed.empty()) {
    const std::size_t end = std::min(printed.find('\n'), printed.size() - 1) + 1;
    if (!printed.starts_with(log_mark)) message += printed.substr(0, end);
    printed.remove_prefix(end);
  }
  return message.substr(0, message.find_last_not_of(" \r\n") + 1);
}

}  // namespace carrack::train
