// carrack: the command line, and the runner of jobs on this machine.
#include "operator/cli/program.h"

int main(int argc, char** argv) {
  using namespace carrack::control;
  const Program carrack{"carrack", R"(usage: carrack [--version | --help]

Trains models from one manifest, on a laptop or on Kubernetes.

  --version   print the version
  --help      print this
)"};
  return print(answer(carrack, {argv + 1, argv + argc}));
}
