// thread_time(): measures for how long the calling thread works and for how long it waits, to find out whether a
// pipeline is limited by the CPUs or by storage.
//
//   const ThreadTime begin = thread_time();
//   read_and_parse();
//   const ThreadTime took = thread_time() - begin;  // for example busy_ns = 2'000'000 and waited_ns = 30'000'000
#pragma once

#include <cstdint>

namespace carrack::data {

struct ThreadTime {
  std::uint64_t busy_ns = 0;    // on a CPU, or ready to run and waiting for a CPU
  std::uint64_t waited_ns = 0;  // waiting for anything else, such as storage or a lock

  // Returns the time from `before` until this; `waited_ns` is at least 0.
  ThreadTime operator-(const ThreadTime& before) const {
    return {busy_ns - before.busy_ns, waited_ns > before.waited_ns ? waited_ns - before.waited_ns : 0};
  }
};

// Returns the times of the calling thread since an arbitrary moment. Only the difference of two calls on the same
// thread means something. Does not throw. If the kernel does not report for how long a thread was ready without a CPU,
// that time counts as waiting. The first call on a thread opens a file, which stays open until the thread ends.
ThreadTime thread_time();

}  // namespace carrack::data
