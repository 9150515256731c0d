// ProcessGroup: makes sure that the programs that this process starts end with it. All processes in the group are
// killed with SIGKILL when the object is destroyed, or when this process ends, even by SIGKILL. Processes that have
// left the group survive. ProgramStream has one for its program.
//
// The leader of the group is a forked child of this process. It only waits for the end of a pipe whose other end only
// this process has open, and then kills the group. As it is a fork, memory that this process changes afterwards takes
// its space twice: make groups early.
#pragma once

#include <sys/types.h>

#include <array>

namespace carrack::data {

// A pipe whose ends are closed by the destructor, and by exec() in programs that are started. To own an end yourself,
// copy its descriptor and set it to -1 here.
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

  // The number of the group. To put a program into the group, pass this to posix_spawnattr_setpgroup(), and the flag
  // POSIX_SPAWN_SETPGROUP, when you start the program. The caller must reap the program with waitpid(): this object
  // does not.
  pid_t id() const { return guard_; }

 private:
  int lifeline_ = -1;  // the writing end of the pipe that the leader reads
  pid_t guard_ = -1;   // the process of the leader
};

}  // namespace carrack::data
