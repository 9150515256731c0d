// What a thread's time went to.
#pragma once

#include <cstdint>

namespace carrack::data {

struct ThreadTime {
  std::uint64_t busy_ns = 0;    // on a CPU, or ready and waiting for one
  std::uint64_t waited_ns = 0;  // for anything else: storage, locks

  ThreadTime operator-(const ThreadTime& before) const {
    return {busy_ns - before.busy_ns, waited_ns > before.waited_ns ? waited_ns - before.waited_ns : 0};
  }
};

// Of the calling thread, since a time of its own choice: differences count. Where the kernel does not tell how long a
// thread was ready and had no CPU, a CPU that is shared looks like a wait.
ThreadTime thread_time();

}  // namespace carrack::data
