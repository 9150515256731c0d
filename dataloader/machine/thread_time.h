// thread_time(): for how long a thread was working, and for how long it was waiting.
#pragma once

#include <cstdint>

namespace carrack::data {

struct ThreadTime {
  std::uint64_t busy_ns = 0;    // on a CPU, or ready to run and waiting for a CPU
  std::uint64_t waited_ns = 0;  // waiting for anything else, such as storage or a lock

  ThreadTime operator-(const ThreadTime& before) const {
    return {busy_ns - before.busy_ns, waited_ns > before.waited_ns ? waited_ns - before.waited_ns : 0};
  }
};

// Returns the times of the calling thread since an arbitrary moment, so only the difference of two calls of the same
// thread means something. If the kernel does not report for how long a thread was ready without a CPU, that time counts
// as waiting. The first call of a thread opens a file, which stays open until the thread ends.
ThreadTime thread_time();

}  // namespace carrack::data
