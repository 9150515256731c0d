// A process group for the programs that this process starts. However this process ends, all processes of the group are
// killed then; those that have left the group survive. The leader of the group is a child of this process, which waits
// for the end of a pipe that only this process keeps open. The child is a fork, so memory that this process changes
// afterwards takes its space twice: make groups early.
#pragma once

#include <sys/types.h>

#include <array>

namespace carrack::data {

// A pipe that programs do not inherit. The destructor closes its ends; to take over an end, set it to -1.
struct Pipe {
  std::array<int, 2> ends = {-1, -1};  // descriptors, the first for reading and the second for writing

  // Throws an Error that begins with `problem` if no pipe can be made.
  explicit Pipe(const char* problem);
  ~Pipe();
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
};

class ProcessGroup {
 public:
  // Throws an Error if the leader cannot be started.
  ProcessGroup();
  // Kills all processes of the group.
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  // The number of the group, in which to start programs with posix_spawnattr_setpgroup(). Whoever starts a program must
  // also reap it with waitpid().
  pid_t id() const { return guard_; }

 private:
  int lifeline_ = -1;  // the end for writing of the pipe that the guard reads
  pid_t guard_ = -1;   // the leader of the group
};

}  // namespace carrack::data
