#include "dataloader/machine/thread_time.h"

#include <fcntl.h>
#include <unistd.h>
#include <ctime>

#include <cstdio>

namespace carrack::data {
namespace {

std::uint64_t clock_ns(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

// Reads /proc/thread-self/schedstat of the thread that constructs the object. The file has three numbers: the
// nanoseconds that the thread was on a CPU, the nanoseconds that it was ready to run and waited for a CPU, and its
// number of time slices. Each pread() of the open file returns the current numbers.
class SchedulerFile {
 public:
  SchedulerFile() : file_(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}
  ~SchedulerFile() {
    if (file_ >= 0) ::close(file_);
  }
  SchedulerFile(const SchedulerFile&) = delete;
  SchedulerFile& operator=(const SchedulerFile&) = delete;

  std::uint64_t ready_ns() const {
    char text[96] = {};
    if (file_ < 0 || ::pread(file_, text, sizeof text - 1, 0) <= 0) return 0;
    unsigned long long on_cpu = 0, ready = 0;
    return std::sscanf(text, "%llu %llu", &on_cpu, &ready) == 2 ? ready : 0;
  }

 private:
  int file_;
};

}  // namespace

ThreadTime thread_time() {
  thread_local const SchedulerFile scheduler;
  // Waiting for a CPU counts as busy: then the CPUs limit the pipeline, and not storage.
  const std::uint64_t busy = clock_ns(CLOCK_THREAD_CPUTIME_ID) + scheduler.ready_ns();
  const std::uint64_t now = clock_ns(CLOCK_MONOTONIC);
  return {busy, now > busy ? now - busy : 0};
}

}  // namespace carrack::data
