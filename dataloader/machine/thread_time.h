// thread_time(): how much of a thread's time it was working, and how much it was waiting.
#pragma once

#include <cstdint>

namespace carrack::data {

struct ThreadTime {
  std::uint64_t busy_ns = 0;    // on a CPU, or ready and waiting for one
  std::uint64_t waited_ns = 0;  // for anything else, such as storage and locks

  ThreadTime operator-(const ThreadTime& before) const {
    return {busy_ns - before.busy_ns, waited_ns > before.waited_ns ? waited_ns - before.waited_ns : 0};
  }
};

// The times of the calling thread since an arbitrary moment, so only differences between two calls mean something. If
// the kernel does not report how long a thread was ready without a CPU, that time counts as waiting.
ThreadTime thread_time();

}  // namespace carrack::data
