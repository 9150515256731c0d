// A child process that is stopped before and after each of its system calls, of itself and without hooks in what it
// runs: the list of places to stop at is made by the code under test.
#pragma once

#include <sys/types.h>

#include <functional>

namespace carrack::data {

class TracedChild {
 public:
  // Forks; the child runs the action, whose result is its exit status, and is stopped before its first system call.
  explicit TracedChild(const std::function<int()>& action);
  ~TracedChild();  // Kills it.
  TracedChild(const TracedChild&) = delete;
  TracedChild& operator=(const TracedChild&) = delete;

  // On to the next stop; false if the child has ended instead.
  bool step();
  // Steps, as many; false if the child has ended before.
  bool step(int times);
  // On to the end; its exit status.
  int finish();

 private:
  pid_t child_;
  bool ended_ = false;
  int status_ = 0;
};

}  // namespace carrack::data
