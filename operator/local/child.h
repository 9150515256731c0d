// A program that runs as a child of this process: its log, its signals and how it ended. All processes that the program
// has started end with it. All of them are killed when the thread that created the Child ends (see supervisor.h). Not
// safe for several threads.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace carrack::control {

struct ChildCommand {
  std::string program;                             // a path
  std::map<std::string, std::string> environment;  // added to this process's, whose values it replaces
  std::string log;                                 // its output is appended to this file
  std::vector<std::string> arguments = {};
  std::string folder = {};  // the working folder; empty: that of this process
};

class Child {
 public:
  // Starts the program in a process group of its own, so that Ctrl-C does not reach it, with an empty input. Throws
  // Error with Blame::platform if the process or the log cannot be created. A file that the kernel cannot execute gives
  // exit code 127 instead.
  explicit Child(const ChildCommand& command);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  // Kills the program and what it has started if they still run, and waits for their end.
  ~Child();

  // Updates what the accessors below return; only this and terminate() change them. Does not block.
  void poll();
  bool running() const { return !exit_code_; }
  // nullopt while the program or anything that it has started runs; 128 + n after signal n.
  std::optional<int> exit_code() const { return exit_code_; }
  // True if no start can succeed, because the file cannot be executed or the folder cannot be used. The termination
  // message then says which, and why.
  bool cannot_start() const { return cannot_start_; }
  // What the program printed last, from the last 2 KiB of its log, without log lines (see log_line.h). Empty while it
  // runs and after exit code 0.
  const std::string& termination_message() const { return termination_message_; }
  // The poll() that first saw the program stopped (SIGSTOP); nullopt if it is not stopped.
  std::optional<std::chrono::steady_clock::time_point> stopped_since() const { return stopped_since_; }

  // A descriptor that becomes readable at the end of the program; -1 if there is none. The destructor closes it.
  int end_event() const { return end_event_; }

  // Sends SIGTERM to the program and calls poll(). The first poll() after `grace` kills it and all that it has started.
  // A second call sends nothing, and can only shorten the grace. No effect once the program has ended.
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
