// What the programs of `bench comm` share: a gradient, the other side of a connection as a process of its own, and the
// times of rounds. A round is the way of a gradient to the other side and of the new parameters back.
#pragma once

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace carrack::bench {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

[[noreturn]] inline void give_up(const std::string& why) {
  std::fprintf(stderr, "bench comm: %s\n", why.c_str());
  std::exit(1);
}

// The gradient of every round, and SGD's rate. All parameters begin as 0. The numbers are such that no sum is rounded,
// in any order of operations, so each side can compare its parameters with what they have to be.
constexpr float rate = 1.0f / 1024;
inline float gradient_at(std::size_t element) {
  return static_cast<float>(element % 7) - 3;
}
inline float parameter_after(std::size_t rounds, std::size_t element) {
  return -rate * gradient_at(element) * static_cast<float>(rounds);
}

// A forked process, which ends with this one at the latest. To be started before the first thread of this process.
class Child {
 public:
  // Calls `body` in the new process. It must call its argument once, with the address at which it serves.
  using Body = std::function<void(const std::function<void(const std::string&)>& serves_at)>;

  explicit Child(const Body& body) {
    int ends[2];
    if (::pipe(ends) != 0) give_up("no pipe");
    pid_ = ::fork();
    if (pid_ < 0) give_up("no process");
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      body([to = ends[1]](const std::string& address) {
        if (::write(to, address.data(), address.size()) < 0) give_up("the pipe is closed");
        ::close(to);
      });
      ::_exit(0);
    }
    ::close(ends[1]);
    char part[256];
    for (ssize_t size = 0; (size = ::read(ends[0], part, sizeof part)) > 0;)
      address_.append(part, static_cast<std::size_t>(size));
    ::close(ends[0]);
    if (address_.empty()) give_up("the other process has ended");
  }
  ~Child() { end(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void end() {
    if (pid_ == 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(std::exchange(pid_, 0), nullptr, 0);
  }

  const std::string& address() const { return address_; }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
  std::string address_;
};

// Measures rounds for some seconds, after a fifth as long to warm up, but at least three rounds: the first ones touch
// new memory.
class Rounds {
 public:
  // `bytes` go each way. `others` are the processes whose CPU time counts beside that of this one.
  Rounds(std::size_t bytes, double seconds, std::vector<pid_t> others)
      : bytes_(static_cast<double>(bytes)),
        seconds_(seconds),
        processes_(std::move(others)),
        counts_from_(Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(seconds / 5))) {
    processes_.push_back(::getpid());
  }

  // Between end() and begin(), the CPU time of this thread is not counted.
  void begin() {
    outside_ += cpu_seconds_of_this_thread() - thread_before_;
    began_ = Clock::now();
  }
  void end() {
    const Clock::time_point now = Clock::now();
    if (began_ >= counts_from_ && warm_up_rounds_ == 0) times_.push_back(Seconds(now - began_).count());
    if (warm_up_rounds_ > 0) --warm_up_rounds_;
    thread_before_ = cpu_seconds_of_this_thread();
    if (times_.empty()) {
      cpu_before_ = cpu_seconds();
      outside_ = 0;
    }
  }

  bool enough() const {
    return times_.size() >= rounds_min &&
           Clock::now() >= counts_from_ + std::chrono::duration_cast<Clock::duration>(Seconds(seconds_));
  }

  // Rounds a second, then latencies, CPU time of all processes, and bytes both ways.
  void print() {
    const double cpu = cpu_seconds() - cpu_before_ - outside_;
    const auto count = static_cast<double>(times_.size());
    double sum = 0;
    for (const double time : times_) sum += time;
    std::sort(times_.begin(), times_.end());
    const auto quantile = [&](double share) { return times_[static_cast<std::size_t>(share * (count - 1))] * 1e3; };
    std::printf("%.6g p50_ms=%.4g p99_ms=%.4g cpu_ms=%.4g gb_s=%.4g\n", count / sum, quantile(0.5), quantile(0.99),
                cpu / count * 1e3, 2 * bytes_ * count / sum * 1e-9);
  }

 private:
  static constexpr std::size_t rounds_min = 5;

  static double seconds_on(clockid_t clock) {
    timespec time{};
    if (::clock_gettime(clock, &time) != 0) give_up("no CPU time");
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }
  static double cpu_seconds_of_this_thread() { return seconds_on(CLOCK_THREAD_CPUTIME_ID); }
  double cpu_seconds() const {
    double sum = 0;
    for (const pid_t process : processes_) {
      clockid_t clock{};
      if (::clock_getcpuclockid(process, &clock) != 0) give_up("the other process has ended");
      sum += seconds_on(clock);
    }
    return sum;
  }

  double bytes_;
  double seconds_;
  std::vector<pid_t> processes_;
  Clock::time_point counts_from_;
  Clock::time_point began_;
  std::vector<double> times_;
  double thread_before_ = 0;
  int warm_up_rounds_ = 3;  // that are still to come
  double outside_ = 0;      // CPU seconds between rounds
  double cpu_before_ = 0;
};

// The main function of a program `PROGRAM BYTES SECONDS`, whose rounds `measure` makes.
inline int main_of(const char* program, int argc, char** argv, void (*measure)(std::size_t bytes, double seconds)) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s BYTES SECONDS\n", program);
    return 2;
  }
  measure(std::stoul(argv[1]), std::stod(argv[2]));
  return 0;
}

}  // namespace carrack::bench
