#include "operator/api_server/exec_plugin.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "operator/error.h"

namespace carrack::control {
namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr auto run_time_max = std::chrono::seconds(30);
constexpr std::size_t output_bytes_max = 1 << 20;

// Returns C strings with a null pointer at the end, as posix_spawn() requires.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// One run of a program, from its start in the constructor.
class Run {
 public:
  Run(const ExecPlugin& plugin, std::vector<std::string> arguments, std::vector<std::string> variables) {
    std::array<int, 2> pipe{};
    if (pipe2(pipe.data(), O_CLOEXEC) != 0) throw Error(Blame::platform, plugin.name + ": " + std::strerror(errno));
    output_ = pipe[0];
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, pipe[1], STDOUT_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    // Resets what the program would inherit: this process ignores SIGPIPE, and blocks other signals.
    sigset_t usual;
    sigset_t blocked;
    sigemptyset(&blocked);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setsigmask(&attributes, &blocked);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    const int failure = posix_spawnp(&process_, plugin.command.c_str(), &files, &attributes,
                                     pointers_to(arguments).data(), pointers_to(variables).data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    close(pipe[1]);
    if (failure == 0) return;
    close(output_);
    const std::string hint = plugin.install_hint.empty() ? "" : "; " + plugin.install_hint;
    throw Error(Blame::user,
                plugin.name + ": '" + plugin.command + "' cannot be started: " + std::strerror(failure) + hint);
  }
  // Kills the program and the processes that it has started.
  ~Run() {
    kill(-process_, SIGKILL);
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
    close(output_);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // Returns all that the program prints until it closes its output; nullopt if it exceeds a limit of time or size.
  std::optional<std::string> read_output() {
    std::string all;
    std::array<char, 4096> piece{};
    while (all.size() <= output_bytes_max) {
      pollfd readable{output_, POLLIN, 0};
      const int ready = poll(&readable, 1, static_cast<int>(left().count()));
      if (ready < 0 && errno == EINTR) continue;
      if (ready <= 0) return std::nullopt;
      const ssize_t size = ::read(output_, piece.data(), piece.size());
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) return all;
      all.append(piece.data(), static_cast<std::size_t>(size));
    }
    return std::nullopt;
  }

  // Waits for the end of the program. Returns how it failed, or "" if it succeeded. WNOWAIT leaves the process to be
  // reaped by the destructor: once it is reaped, its number may be reused, and the destructor could kill another group.
  std::string failure() const {
    siginfo_t end{};
    while (waitid(P_PID, static_cast<id_t>(process_), &end, WEXITED | WNOWAIT | WNOHANG) == 0 && end.si_pid == 0) {
      if (left().count() == 0) return "did not end";
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    if (end.si_code != CLD_EXITED) return "was ended by signal " + std::to_string(end.si_status);
    return end.si_status == 0 ? "" : "ended with exit code " + std::to_string(end.si_status);
  }

 private:
  std::chrono::milliseconds left() const {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(started_ + run_time_max - SteadyClock::now());
    return std::max(left, std::chrono::milliseconds(0));
  }

  SteadyClock::time_point started_ = SteadyClock::now();
  pid_t process_ = 0;
  int output_ = -1;
};

std::vector<std::string> variables_of(const ExecPlugin& plugin, EnvironmentMap environment, const std::string& info) {
  for (const auto& [name, value] : plugin.environment) environment[name] = value;
  environment["KUBERNETES_EXEC_INFO"] = info;
  std::vector<std::string> variables;
  for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);
  return variables;
}

}  // namespace

ExecCredential run_plugin(const Access& access, const EnvironmentMap& environment) {
  const ExecPlugin& plugin = *access.exec;
  std::vector<std::string> arguments{plugin.command};
  arguments.insert(arguments.end(), plugin.arguments.begin(), plugin.arguments.end());
  const std::string info = exec_info(access, plugin.wants_cluster ? read_source(access.authority) : "");
  Run run(plugin, std::move(arguments), variables_of(plugin, environment, info));
  const std::optional<std::string> printed = run.read_output();
  const std::string plugin_text = plugin.name + ": '" + plugin.command + "' ";
  if (!printed)
    throw Error(Blame::user,
                plugin_text + "took over " + std::to_string(run_time_max.count()) + " s, or printed over 1 MiB");
  const std::string failure = run.failure();
  if (!failure.empty()) throw Error(Blame::user, plugin_text + failure + "; run it by hand to see why");
  std::variant<ExecCredential, Problem> credential = exec_credential_from(*printed, plugin.api_version);
  if (const auto* problem = std::get_if<Problem>(&credential)) {
    throw Error(Blame::user, plugin_text + "printed no credential: " + problem->field + " " + problem->text);
  }
  return std::get<ExecCredential>(std::move(credential));
}

}  // namespace carrack::control
