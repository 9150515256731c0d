#include "dataloader/machine/environment.h"

#include <unistd.h>

namespace carrack::data {

std::map<std::string, std::string> environment_of_this_process() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != text.npos) variables[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return variables;
}

std::vector<std::string> environment_lines(const std::map<std::string, std::string>& environment) {
  std::vector<std::string> lines;
  for (const auto& [name, value] : environment) lines.push_back(name + "=" + value);
  return lines;
}

}  // namespace carrack::data
