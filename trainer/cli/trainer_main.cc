// carrack-trainer: the process that runs in a job's pods, in any role.
#include <cstdio>
#include <string>
#include <string_view>

#include "trainer/kernels/device.h"

namespace {

constexpr std::string_view help = R"(usage: carrack-trainer [--version | --help]

The trainer of Carrack. The operator starts it in the pods of a TrainingJob and tells it
all it needs through its environment; there is no need to start it by hand.

  --version   print the version, and the CUDA Toolkit it was built with
  --help      print this
)";

std::string version() {
  const std::string_view toolkit = carrack::train::cuda::toolkit_version();
  const std::string cuda = toolkit.empty() ? "without CUDA" : "CUDA " + std::string(toolkit);
  return "carrack-trainer " CARRACK_VERSION " (" + cuda + ")\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view argument = argc == 2 ? argv[1] : "";
  if (argument == "--version") {
    std::fputs(version().c_str(), stdout);
    return 0;
  }
  if (argument == "--help") {
    std::fputs(help.data(), stdout);
    return 0;
  }
  if (argc == 1) {
    std::fputs(help.data(), stderr);
  } else {
    std::fprintf(stderr, "carrack-trainer: does not know '%s'; `carrack-trainer --help` lists what it does\n",
                 argc == 2 ? argv[1] : argv[2]);
  }
  return 2;
}
