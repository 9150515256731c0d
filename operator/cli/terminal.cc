#include "operator/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>

namespace carrack::control {

bool output_is_terminal() {
  return isatty(STDOUT_FILENO) != 0;
}

int columns_of_terminal() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

int rows_of_terminal() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : 24;
}

bool is_utf8_locale(const std::map<std::string, std::string>& environment) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const auto found = environment.find(name);
    if (found == environment.end() || found->second.empty()) continue;
    std::string locale = found->second;
    std::ranges::transform(locale, locale.begin(), [](unsigned char one) { return std::tolower(one); });
    return locale.find("utf-8") != locale.npos || locale.find("utf8") != locale.npos;
  }
  return false;
}

}  // namespace carrack::control
