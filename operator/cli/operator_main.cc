// carrack-operator: the controller that turns TrainingJobs into pods.
#include <random>

#include "dataloader/machine/environment.h"
#include "operator/cli/check_model.h"
#include "operator/cli/operate.h"
#include "operator/cli/program.h"

int main(int argc, char** argv) {
  using namespace carrack::control;
  const Program controller{"carrack-operator", R"(usage: carrack-operator --trainer-image IMAGE [options]

The controller of Carrack: watches TrainingJobs and runs them as pods. In a pod it uses the pod's service account,
elsewhere the kubeconfig that KUBECONFIG names, or ~/.kube/config.

  --trainer-image IMAGE      the image of every pod of a job
  --trainer-env NAME=VALUE   environment of every trainer; may be given several times
  --network-policies NAMESPACE  have a NetworkPolicy for each job, by which its pods reach each other, and pods of
                             this namespace, the operator's own, their progress (default: none)
  --namespace NAMESPACE      serve the jobs of this namespace; may be given several times (default: all)
  --listen ADDRESS:PORT      where /metrics is served (default: 0.0.0.0:8080)
  --probes ADDRESS:PORT      where /healthz and /readyz are served (default: 0.0.0.0:8081)
  --version                  print the version
  --help                     print this
)"};
  const std::span<char* const> arguments{argv + 1, argv + argc};
  if (arguments.empty() || is_common(arguments[0])) return print(answer_common(controller, arguments));
  const auto options = parse_operator_options(arguments);
  if (const auto* problem = std::get_if<std::string>(&options)) {
    return print({2, "", "carrack-operator: " + *problem + "\n"});
  }
  return operate(std::get<OperatorOptions>(options), carrack::data::environment_of_this_process(),
                 std::random_device()(), check_model);
}
