// Mutex, MutexLock and ConditionVariable: the classes of the standard library with the annotations of clang's thread
// safety analysis. With `-Wthread-safety` clang reports code that uses a GUARDED_BY member without its mutex. gcc
// ignores the annotations.
//
//   Mutex mutex_;
//   std::deque<int> items_ GUARDED_BY(mutex_);
//
//   int take() {
//     MutexLock lock(mutex_);
//     while (items_.empty()) arrived_.wait(lock);  // A loop: the analysis does not look into predicates.
//     ...
//   }
//
// The annotations that users of these classes need:
//   GUARDED_BY(m)     a member that is used only while m is locked
//   PT_GUARDED_BY(m)  a pointer whose target is used only while m is locked
//   REQUIRES(m)       a function that is called while m is locked
//   EXCLUDES(m)       a function that locks m itself, so it is called while m is not locked
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define CARRACK_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define CARRACK_THREAD_ANNOTATION(x)
#endif

#define CAPABILITY(x) CARRACK_THREAD_ANNOTATION(capability(x))
#define SCOPED_CAPABILITY CARRACK_THREAD_ANNOTATION(scoped_lockable)
#define GUARDED_BY(x) CARRACK_THREAD_ANNOTATION(guarded_by(x))
#define PT_GUARDED_BY(x) CARRACK_THREAD_ANNOTATION(pt_guarded_by(x))
#define REQUIRES(...) CARRACK_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) CARRACK_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
#define ACQUIRE(...) CARRACK_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define RELEASE(...) CARRACK_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define NO_THREAD_SAFETY_ANALYSIS CARRACK_THREAD_ANNOTATION(no_thread_safety_analysis)

namespace carrack {

class CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() ACQUIRE() { mutex_.lock(); }
  void unlock() RELEASE() { mutex_.unlock(); }

 private:
  friend class MutexLock;
  std::mutex mutex_;
};

// Locks a mutex from construction to destruction, except between unlock() and lock(). It may be destroyed unlocked.
class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ACQUIRE(mutex) : lock_(mutex.mutex_) {}
  ~MutexLock() RELEASE() {}
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void unlock() RELEASE() { lock_.unlock(); }
  void lock() ACQUIRE() { lock_.lock(); }

 private:
  friend class ConditionVariable;
  std::unique_lock<std::mutex> lock_;
};

// The wait functions unlock the mutex while they wait. They may return without a notification: call them in a loop.
class ConditionVariable {
 public:
  void wait(MutexLock& lock) { condition_.wait(lock.lock_); }

  template <class Clock, class Duration>
  std::cv_status wait_until(MutexLock& lock, const std::chrono::time_point<Clock, Duration>& time) {
    return condition_.wait_until(lock.lock_, time);
  }

  template <class Rep, class Period>
  std::cv_status wait_for(MutexLock& lock, const std::chrono::duration<Rep, Period>& duration) {
    return condition_.wait_for(lock.lock_, duration);
  }

  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace carrack
