// Child starts a program as a child process for `carrack run`, and reports how it ends. LocalCluster has one for each
// process of a job. When the program ends, all processes that it has started are killed. When the thread that created
// the Child ends, for whatever reason, the program and these processes are killed, too (supervisor.h). Not thread-safe.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace carrack::control {

struct ChildCommand {
  std::string program;                             // a path; PATH is not searched
  std::map<std::string, std::string> environment;  // added to this process's, whose values it replaces
  std::string log;                                 // path; its standard output and error are appended to this file
  std::vector<std::string> arguments = {};         // without the program's name
  std::string folder = {};                         // the working folder; empty: that of this process
};

class Child {
 public:
  // Starts the program with an empty standard input, in a process group of its own, so that Ctrl-C does not reach it.
  // Throws Error with Blame::platform if the process or the log cannot be created. If the program cannot be executed or
  // its folder cannot be entered, the child ends with exit code 127 instead.
  explicit Child(const ChildCommand& command);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  // Kills (SIGKILL) the program and what it has started if they still run, and waits for their end.
  ~Child();

  // Updates what the accessors below return: only poll() and terminate() change it. Does not block.
  void poll();
  bool running() const { return !exit_code_; }
  // The exit code of the program, or 128 + n if signal n ended it. nullopt until the program and all that it has
  // started have ended.
  std::optional<int> exit_code() const { return exit_code_; }
  // True if it would be useless to start this command again, because the file cannot be executed or the folder cannot
  // be entered. The termination message then says which, and why.
  bool cannot_start() const { return cannot_start_; }
  // What the program printed last, from the last 2 KiB of its log, without log lines (see log_line.h). If the program
  // or its folder could not be used, it says why. Otherwise empty while the program runs, and after exit code 0.
  const std::string& termination_message() const { return termination_message_; }
  // The time of the poll() that first saw the program stopped (SIGSTOP); nullopt if it is not stopped.
  std::optional<std::chrono::steady_clock::time_point> stopped_since() const { return stopped_since_; }

  // A descriptor for ::poll() that becomes readable once the process has ended; the next poll() then sets exit_code().
  // -1 if the system has none. The Child owns it, so do not close it.
  int end_event() const { return end_event_; }

  // Sends SIGTERM to the program, calls poll() and returns. The first poll() after `grace` kills the program and all
  // that it has started, so continue to call poll() until running() is false. A second call sends nothing, and can only
  // shorten the grace. No effect once the program has ended.
  void terminate(std::chrono::steady_clock::duration grace);
  bool is_terminating() const { return kill_at_.has_value(); }

 private:
  void signal_supervisor(int number) const;
  void read_reports();
  void note_failed_start(const std::string& path, int error);

  pid_t supervisor_ = 0;
  int end_event_ = -1;
  int reports_ = -1;  // the end of a pipe from which SupervisorReports are read
  std::string program_;
  std::string folder_;
  std::string log_;
  bool cannot_start_ = false;
  std::optional<int> exit_code_;
  std::string termination_message_;
  std::optional<std::chrono::steady_clock::time_point> stopped_since_;
  std::optional<std::chrono::steady_clock::time_point> kill_at_;
};

}  // namespace carrack::control
