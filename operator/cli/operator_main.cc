// carrack-operator: the controller that turns TrainingJobs into pods.
#include "operator/cli/program.h"

int main(int argc, char** argv) {
  using namespace carrack::control;
  const Program controller{"carrack-operator", R"(usage: carrack-operator [--version | --help]

The controller of Carrack: watches TrainingJobs and runs them as pods.

  --version   print the version
  --help      print this
)"};
  return print(answer(controller, {argv + 1, argv + argc}));
}
