// carrack-trainer: the process that runs in a job's pods, in any role.
#include <grpc/grpc.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "dataloader/machine/environment.h"
#include "dataloader/machine/heap.h"
#include "dataloader/text.h"
#include "trainer/debug/step.h"
#include "trainer/debug/step_text.h"
#include "trainer/evaluation/predict.h"
#include "trainer/export/export_model.h"
#include "trainer/kernels/cpu/features.h"
#include "trainer/kernels/device.h"
#include "trainer/launch/exit.h"
#include "trainer/launch/launch.h"
#include "trainer/launch/log_line.h"
#include "trainer/loop/roles/role.h"
#include "trainer/process/process.h"

namespace {

using namespace carrack;

constexpr const char* help = R"(usage: carrack-trainer [--version | --help]

The trainer of Carrack. The operator starts it in the pods of a TrainingJob and passes it
all it needs through its environment; there is no need to start it by hand.

  --version   print the version, and the CUDA Toolkit it was built with
  --help      print this
)";

std::string version() {
  const std::string_view toolkit = train::cuda::toolkit_version();
  const std::string cuda = toolkit.empty() ? "without CUDA" : "CUDA " + std::string(toolkit);
  return "carrack-trainer " CARRACK_VERSION " (" + cuda + ")\n";
}

std::atomic<bool> shutdown_signalled = false;
std::atomic<bool> shutdown_checked = false;

bool shutdown_requested() {
  shutdown_checked = true;
  return shutdown_signalled;
}

// Handles SIGTERM, a request to finish and leave, on a thread of its own. As long as the role has never called
// shutdown_requested(), the role is still looking for its data and has nothing to finish, so the process ends
// immediately. Call this function before the first thread starts: all later threads inherit the blocked signal, so
// SIGTERM interrupts none of them.
void handle_sigterm() {
  sigset_t terminate;
  sigemptyset(&terminate);
  sigaddset(&terminate, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &terminate, nullptr);
  std::thread([terminate] {
    int signal = 0;
    sigwait(&terminate, &signal);
    shutdown_signalled = true;
    if (!shutdown_checked) _exit(static_cast<int>(train::Exit::drained));
  }).detach();
}

// The report of a coordinator at its end (docs/formats/progress.md), and the file to write it to. Both are empty if
// there is none.
struct FinalReport {
  std::string path;
  std::string json;
};

train::Exit run(const train::Environment& environment, FinalReport& report) {
  train::serve_health(environment);
  train::arm_point(environment);
  const train::Launch launch = train::launch_from(environment);
  report.path = launch.addresses.final_report;
  train::RoleContext context = train::context_from(environment, train::key_of(launch), shutdown_requested);
  context.report_end = [&report](const std::string& json) { report.json = json; };
  return train::run(launch, context);
}

// Writes the report, if there is one, followed by `words`, and returns the exit code. A failure to write is ignored:
// if the report is missing, the operator does not believe a success, and starts the process again.
int end(train::Exit exit, const FinalReport& report, const std::string& words = "") {
  if (report.path.empty() || report.json.empty()) return static_cast<int>(exit);
  std::ofstream(report.path, std::ios::binary) << report.json << words.substr(0, train::termination_message_max - 1);
  return static_cast<int>(exit);
}

// Prints the error to standard error. All that the process prints there, except log lines, becomes its termination
// message, which the job's condition shows.
int fail(const std::exception& error, train::Exit exit, const FinalReport& report) {
  std::fprintf(stderr, "%s\n", error.what());
  return end(exit, report, error.what());
}

bool lacks_instructions() {
  const std::string missing = train::cpu::missing_cpu_features();
  if (!missing.empty()) std::fprintf(stderr, "%s\n", missing.c_str());
  return !missing.empty();
}

int run_role() {
  if (lacks_instructions()) return static_cast<int>(train::Exit::user_error);
  // Without this, growing a file beyond the size limit ends the process. Now the write fails, and the error names the
  // file.
  signal(SIGXFSZ, SIG_IGN);
  // The estimates of how much memory a process needs rely on this. With a heap for each thread it would need more.
  data::use_one_heap();
  handle_sigterm();
  // Keeps gRPC initialized until the process ends. Otherwise gRPC would shut down when the last of its objects is
  // destroyed, and would wait for its own threads, sometimes for 10 seconds.
  grpc_init();
  FinalReport report;
  try {
    const train::Exit exit = run(data::environment_of_this_process(), report);
    return end(exit, report);
  } catch (const std::exception& error) {
    return fail(error, train::exit_for(error), report);
  }
}

// Does the work of `carrack step`, which starts this process with a job's configuration and exits with its exit code.
int run_step(const std::string& records) {
  if (lacks_instructions()) return 1;
  try {
    const train::Environment environment = data::environment_of_this_process();
    train::RoleContext context = train::context_from(environment, nullptr, shutdown_requested);
    context.log = [](const std::string& line) { std::fprintf(stderr, "carrack step: %s\n", line.c_str()); };
    const train::StepReport report = train::first_step(train::launch_from(environment), context, std::stoll(records));
    const bool is_written = std::fputs(train::text(report).c_str(), stdout) != EOF && std::fflush(stdout) == 0;
    if (!is_written) throw std::runtime_error("the values cannot be written");
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "carrack step: %s\n", error.what());
    return 1;
  }
}

// Does the work of `carrack predict` or `carrack export`, which start this process and exit with its exit code.
int run_command(const std::string& name, const std::function<void(train::RoleContext&)>& command) {
  if (lacks_instructions()) return 1;
  try {
    train::RoleContext context = train::context_from(data::environment_of_this_process(), nullptr, shutdown_requested);
    command(context);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "carrack %s: %s\n", name.c_str(), data::printable(error.what()).c_str());
    return 1;
  }
}

// Predicts with the checkpoint paths[0] for the files in the other paths. `what` is "loss" or "no-loss", to print a
// line for each record with or without losses, or "metrics", to print only the metrics.
void predict(train::RoleContext& context, std::string_view what, std::span<char* const> paths) {
  const train::StoredModel model = train::read_model(paths.front(), context.storages, context.memory / 2);
  const auto require_written = [](bool is_written) {
    if (!is_written) throw std::runtime_error("the lines cannot be written");
  };
  train::PredictRequest request{.files = {paths.begin() + 1, paths.end()},
                                .losses = what == "no-loss" ? train::Losses::left_out : train::Losses::computed};
  if (what != "metrics") {
    request.print = [&](std::string_view line) {
      require_written(std::fwrite(line.data(), 1, line.size(), stdout) == line.size() &&
                      std::fputc('\n', stdout) != EOF);
    };
  }
  const train::MetricValues values =
      train::predict(model, request, context.storages, {context.memory / 2, context.cpus});
  require_written(std::fflush(stdout) == 0);
  const std::string metrics =
      values.records > 0 && request.losses == train::Losses::computed ? ": " + train::text(values) : "";
  // If the lines are on standard output, the metrics go to standard error, for the user alone.
  std::fprintf(request.print ? stderr : stdout, "%s%s\n", data::counted(values.records, "record").c_str(),
               metrics.c_str());
  require_written(std::fflush(stdout) == 0);
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<char* const> arguments{argv + 1, argv + argc};
  const std::string_view command = arguments.empty() ? "" : arguments[0];
  const bool is_started = std::getenv(std::string(train::config_variable).c_str()) != nullptr;
  std::optional<int> exit_code;
  if (command.empty() && is_started) {
    exit_code = run_role();
  } else if (command == "step" && arguments.size() == 2 && is_started) {
    exit_code = run_step(arguments[1]);
  } else if (command == "predict" && arguments.size() > 3) {
    exit_code = run_command("predict",
                            [&](train::RoleContext& context) { predict(context, arguments[1], arguments.subspan(2)); });
  } else if (command == "export" && arguments.size() == 3) {
    exit_code = run_command("export", [&](train::RoleContext& context) {
      const std::string url = train::export_model({arguments[1], arguments[2]}, context.storages, context.memory);
      std::printf("%s\n", url.c_str());
      if (std::fflush(stdout) != 0) throw std::runtime_error(url + " is written, but its name cannot be printed");
    });
  }
  if (exit_code) {
    // The process ends without destroying global objects, because a thread may still use them to remove old
    // checkpoints.
    std::fflush(nullptr);
    _exit(*exit_code);
  }
  if (arguments.size() == 1 && (command == "--version" || command == "--help")) {
    std::fputs(command == "--help" ? help : version().c_str(), stdout);
    return 0;
  }
  if (arguments.empty()) {
    std::fputs(help, stderr);
  } else {
    std::fprintf(stderr, "carrack-trainer: does not know '%s'; `carrack-trainer --help` lists what it does\n",
                 arguments.size() == 1 ? arguments[0] : arguments[1]);
  }
  return 2;
}
