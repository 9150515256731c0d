// A process group for the programs that this process starts, none of which outlives it: a child of this process, which
// leads the group, waits for the end of a pipe that this process alone holds open, and then kills them all. So it holds
// however this process ends, and for what those programs have started, but for who has left the group. The child costs
// what this process's memory changes from then on, as it keeps what was there; so groups are made early, or where
// little is held.
#pragma once

#include <sys/types.h>

namespace carrack::data {

class ProcessGroup {
 public:
  // Throws an Error where no process can be made.
  ProcessGroup();
  // Kills all that is in it.
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  pid_t id() const { return guard_; }

 private:
  int lifeline_ = -1;  // Its other end is the guard's.
  pid_t guard_ = -1;
};

}  // namespace carrack::data
