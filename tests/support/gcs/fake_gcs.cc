#include "tests/support/gcs/fake_gcs.h"

#include <fcntl.h>
#include <httplib.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "tests/support/gcs/connection.h"

namespace carrack::tests {
namespace {

constexpr std::chrono::seconds start_deadline{20};  // It takes milliseconds, on a loaded machine a second.
constexpr int port_attempts = 5;

int free_port() {
  OpenSockets sockets;
  return Listener({"127.0.0.1", 0}, sockets).port();
}

std::filesystem::path folder_in_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// As ./dev and machine.py find it; an empty variable counts as unset.
std::filesystem::path cache() {
  if (auto own = folder_in_environment("CARRACK_CACHE"); !own.empty()) return own;
  const auto of_all = folder_in_environment("XDG_CACHE_HOME");
  return (of_all.empty() ? folder_in_environment("HOME") / ".cache" : of_all) / "carrack";
}

// Runs the program with stdout and stderr in the test's own; it is killed when the calling thread ends.
pid_t start_program(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() == parent) execv(arguments[0], arguments.data());
  _exit(127);
}

}  // namespace

std::filesystem::path fake_gcs_program() {
  return cache() / "programs" / ("fake-gcs-server-" FAKE_GCS_VERSION) / "fake-gcs-server";
}

FakeGcs::FakeGcs(const std::vector<std::string>& buckets) {
  // Between the look for a free port and the server's start another process may take the port.
  for (int attempt = 0; !start(); ++attempt) {
    if (attempt == port_attempts) throw std::runtime_error(fake_gcs_program().string() + " does not answer");
  }
  httplib::Client client(url_);
  for (const std::string& bucket : buckets) {
    const auto made =
        client.Post("/storage/v1/b?project=test", nlohmann::json{{"name", bucket}}.dump(), "application/json");
    if (!made || made->status != 200) {
      stop();
      throw std::runtime_error("fake-gcs-server refuses the bucket " + bucket);
    }
  }
}

FakeGcs::~FakeGcs() {
  stop();
}

bool FakeGcs::start() {
  const int port = free_port();
  url_ = "http://127.0.0.1:" + std::to_string(port);
  process_ = start_program({fake_gcs_program().string(), "-backend", "memory", "-scheme", "http", "-host", "127.0.0.1",
                            "-public-host", "127.0.0.1", "-port", std::to_string(port), "-log-level", "error"});
  if (process_ < 0) throw std::runtime_error("fork failed");
  httplib::Client client(url_);
  const auto deadline = std::chrono::steady_clock::now() + start_deadline;
  while (std::chrono::steady_clock::now() < deadline) {
    if (waitpid(process_, nullptr, WNOHANG) != 0) {
      process_ = -1;  // Reaped: its number may already be another process's.
      return false;
    }
    if (const auto health = client.Get("/_internal/healthcheck"); health && health->status == 200) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  stop();
  return false;
}

void FakeGcs::stop() {
  if (process_ <= 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

}  // namespace carrack::tests
