#include "operator/cli/process_inputs.h"

#include <unistd.h>

#include "trainer/models/check.h"

namespace carrack::control {

std::map<std::string, std::string> environment() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos) variables[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return variables;
}

std::vector<Problem> check_model(const train::Config& config) {
  std::vector<Problem> problems;
  for (const train::ModelProblem& problem : train::problems_in(config)) {
    problems.push_back({problem.field, problem.text});
  }
  return problems;
}

}  // namespace carrack::control
