// A program that runs as a child of this process: its log, its signals and how it ended. When the program ends, all
// processes that it has started are killed. All of them are killed when the thread that created the Child ends (see
// supervisor.h). Not safe for several threads.
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
  std::string log;                                 // its output and errors are appended to this file
  std::vector<std::string> arguments = {};         // without the program's name
  std::string folder = {};                         // the working folder; empty: that of this process
};

class Child {
 public:
  // Starts the program with an empty input, in a process group of its own, so that Ctrl-C does not reach it. Throws
  // Error with Blame::platform if the process or the log cannot be created. If the program cannot be executed or its
  // folder cannot be entered, the child ends with exit code 127 instead.
  explicit Child(const ChildCommand& command);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  // Kills the program and what it has started if they still run, and waits for their end.
  ~Child();

  // Updates what the accessors below return; they do not change otherwise, except by terminate(). Does not block.
  void poll();
  bool running() const { return !exit_code_; }
  // nullopt until the program and all that it has started have ended; 128 + n after signal n.
  std::optional<int> exit_code() const { return exit_code_; }
  // True if it would be useless to start this command again, because the file cannot be executed or the folder cannot
  // be entered. The termination message then says which, and why.
  bool cannot_start() const { return cannot_start_; }
  // What the program printed last, from the last 2 KiB of its log, without log lines (see log_line.h). If the program
  // or its folder could not be used, it says why. Otherwise empty while the program runs, and after exit code 0.
  const std::string& termination_message() const { return termination_message_; }
  // The time of the poll() that first saw the program stopped (SIGSTOP); nullopt if it is not stopped.
  std::optional<std::chrono::steady_clock::time_point> stopped_since() const { return stopped_since_; }

  // A descriptor that becomes readable once exit_code() can be known; -1 if the system has none. The Child owns it.
  int end_event() const { return end_event_; }

  // Sends SIGTERM to the program and calls poll(). The first poll() after `grace` kills it and all that it has started,
  // so call poll() until it has ended. A second call sends nothing, and can only shorten the grace. No effect once the
  // program has ended.
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
