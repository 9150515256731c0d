// A process that this one started: its log, its signals, how it ended. It never outlives the thread that started it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>

namespace carrack::control {

struct ChildCommand {
  std::string program;
  std::map<std::string, std::string> environment;  // Added to ours.
  std::string log;                                 // What it prints is appended here.
};

class Child {
 public:
  // Throws Error where the program cannot be started.
  explicit Child(const ChildCommand& command);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  // Kills it if it still runs, and waits.
  ~Child();

  // Looks once: what poll() finds is what the others tell.
  void poll();
  bool running() const { return !exit_code_; }
  // 128 + n after signal n.
  std::optional<int> exit_code() const { return exit_code_; }
  // At the end of its log, once it has ended otherwise than with 0.
  const std::string& last_words() const { return last_words_; }
  // Since when it has been stopped (SIGSTOP), if it is.
  std::optional<std::chrono::steady_clock::time_point> stopped_since() const { return stopped_since_; }

  // SIGTERM now, SIGKILL once `grace` is over (at a poll). Asked again, the sooner end holds.
  void end(std::chrono::steady_clock::duration grace);
  bool ending() const { return kill_at_.has_value(); }

 private:
  pid_t pid_ = 0;
  std::string log_;
  std::optional<int> exit_code_;
  std::string last_words_;
  std::optional<std::chrono::steady_clock::time_point> stopped_since_;
  std::optional<std::chrono::steady_clock::time_point> kill_at_;
};

}  // namespace carrack::control
