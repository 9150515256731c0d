// carrack: the command line, and the runner of jobs on this machine.
#include <string_view>

#include "operator/cli/program.h"
#include "operator/cli/run.h"
#include "trainer/models/check.h"

namespace {

using namespace carrack;

std::vector<control::Problem> check_model(const train::Config& config) {
  std::vector<control::Problem> problems;
  for (const train::ModelProblem& problem : train::problems_in(config)) {
    problems.push_back({problem.field, problem.text});
  }
  return problems;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace control;
  const Program carrack{"carrack", R"(usage: carrack run MANIFEST [options] | --version | --help

Trains models from one manifest, on a laptop or on Kubernetes.

  run         run a TrainingJob on this machine; `carrack run` lists its options
  --version   print the version
  --help      print this
)"};
  const std::span<char* const> arguments{argv + 1, argv + argc};
  if (!arguments.empty() && std::string_view(arguments[0]) == "run") return run(arguments.subspan(1), check_model);
  return print(answer(carrack, arguments));
}
