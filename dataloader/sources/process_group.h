// A process group for the programs that this process starts. In whatever way this process ends, all processes in the
// group are then killed; processes that have left the group survive. The leader of the group is a child of this
// process. It waits for the end of a pipe whose other end only this process has open. The child is a fork, so memory
// that this process changes afterwards takes its space twice: make groups early.
#pragma once

#include <sys/types.h>

#include <array>

namespace carrack::data {

// A pipe that programs do not inherit. The destructor closes its ends. To take over an end, set it to -1.
struct Pipe {
  std::array<int, 2> ends = {-1, -1};  // descriptors, the first for reading and the second for writing

  // Throws Error, whose message begins with `problem`, if no pipe can be made.
  explicit Pipe(const char* problem);
  ~Pipe();
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
};

class ProcessGroup {
 public:
  // Throws Error if the leader cannot be started.
  ProcessGroup();
  // Kills all processes in the group, and reaps the leader.
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  // The number of the group, for posix_spawnattr_setpgroup() when a program is started. The caller must reap the
  // program with waitpid(): this object does not.
  pid_t id() const { return guard_; }

 private:
  int lifeline_ = -1;  // the writing end of the pipe that the leader reads
  pid_t guard_ = -1;   // the process of the leader
};

}  // namespace carrack::data
