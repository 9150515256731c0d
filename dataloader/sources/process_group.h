// A process group for programs that this process starts, which ends with this process, however that ends. Its leader, a
// child of this process, waits for the end of a pipe that only this process holds open, and then kills the group.
// Processes that have left the group survive. The child is a fork, so memory that this process changes afterwards is
// kept twice: make groups early.
#pragma once

#include <sys/types.h>

#include <array>

namespace carrack::data {

// A pipe that programs do not inherit. Closes its ends, except one that the caller took over and set to -1.
struct Pipe {
  std::array<int, 2> ends = {-1, -1};  // for reading and for writing

  // Throws an Error that begins with `problem` if there can be no pipe.
  explicit Pipe(const char* problem);
  ~Pipe();
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
};

class ProcessGroup {
 public:
  // Throws an Error if no process can be created.
  ProcessGroup();
  // Kills all processes of the group.
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  // Start programs in this process group (posix_spawnattr_setpgroup). Their starter reaps them.
  pid_t id() const { return guard_; }

 private:
  int lifeline_ = -1;  // write end of the pipe that the guard reads
  pid_t guard_ = -1;   // leader of the group
};

}  // namespace carrack::data
