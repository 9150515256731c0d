#include "operator/cli/check_model.h"

#include "trainer/models/check.h"

namespace carrack::control {

std::vector<Problem> check_model(const train::Config& config) {
  std::vector<Problem> problems;
  for (const train::ModelProblem& problem : train::problems_in(config)) {
    problems.push_back({problem.field, problem.text});
  }
  return problems;
}

}  // namespace carrack::control
