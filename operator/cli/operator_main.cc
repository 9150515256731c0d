// carrack-operator: the controller that turns TrainingJobs into pods.
#include <unistd.h>

#include <random>

#include "operator/cli/operate.h"
#include "operator/cli/program.h"
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

control::EnvironmentMap environment() {
  control::EnvironmentMap all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos) all[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace control;
  const Program controller{"carrack-operator", R"(usage: carrack-operator --trainer-image IMAGE [options]

The controller of Carrack: watches TrainingJobs and runs them as pods. In a pod it is who the pod's service account is,
elsewhere who the kubeconfig says: KUBECONFIG, or ~/.kube/config.

  --trainer-image IMAGE      what every pod of a job runs
  --trainer-env NAME=VALUE   environment of every trainer; may be given several times
  --namespace NAMESPACE      whose jobs are looked after; may be given several times (default: all)
  --listen ADDRESS:PORT      where /metrics, /healthz and /readyz are served (default: 0.0.0.0:8080)
  --version                  print the version
  --help                     print this
)"};
  const std::span<char* const> arguments{argv + 1, argv + argc};
  const bool asks =
      arguments.empty() || std::string_view(arguments[0]) == "--version" || std::string_view(arguments[0]) == "--help";
  if (asks) return print(answer(controller, arguments));
  const auto options = operator_options(arguments);
  if (const auto* problem = std::get_if<std::string>(&options)) {
    return print({2, "", "carrack-operator: " + *problem + "\n"});
  }
  return operate(std::get<OperatorOptions>(options), environment(), std::random_device()(), check_model);
}
