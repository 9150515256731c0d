// A program that runs below this process: its log, its signals and how it ended. What the program has started ends with
// it, and all of it when the thread that started it ends (see supervisor.h). Not safe for several threads.
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
  std::map<std::string, std::string> environment;  // added to that of this process, and preferred to it
  std::string log;                                 // its output is appended to this file
  std::vector<std::string> arguments = {};
  std::string folder = {};  // in which it runs; empty: that of this process
};

class Child {
 public:
  // Starts the program in a process group of its own, so that Ctrl-C does not reach it, with an empty input. Throws
  // Error (platform) if there can be no process or no log; a file that the kernel cannot execute ends with exit code
  // 127 instead.
  explicit Child(const ChildCommand& command);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  // Kills the program if it still runs and what it has started, and waits for their end.
  ~Child();

  // Updates what the accessors below return; only this and terminate() change them. Does not block.
  void poll();
  bool running() const { return !exit_code_; }
  // Empty while it or anything that it has started runs; 128 + n after signal n.
  std::optional<int> exit_code() const { return exit_code_; }
  // True if the file, or the folder that it was to run in, is none that any start could use. The termination message
  // then says which, and why.
  bool cannot_start() const { return cannot_start_; }
  // What it printed last, from the last 2 KiB of its log, without the lines that its logger wrote (see log_line.h).
  // Empty while it runs and after exit code 0.
  const std::string& termination_message() const { return termination_message_; }
  // Since when it has been stopped (SIGSTOP); empty if it is not.
  std::optional<std::chrono::steady_clock::time_point> stopped_since() const { return stopped_since_; }

  // A descriptor that becomes readable when it ends, or -1 if the system has none. It is closed with this.
  int end_event() const { return end_event_; }

  // Sends SIGTERM to the program now, and SIGKILL to it and all that it has started at the first poll() after `grace`,
  // then calls poll(). A second call can only shorten the grace. Does nothing if it has ended.
  void terminate(std::chrono::steady_clock::duration grace);
  bool is_terminating() const { return kill_at_.has_value(); }

 private:
  void signal_supervisor(int number) const;
  void read_reports();
  void note_failed_start(const std::string& path, int error);

  pid_t supervisor_ = 0;
  int end_event_ = -1;
  int reports_ = -1;  // of the supervisor
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
