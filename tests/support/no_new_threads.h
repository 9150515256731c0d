// A system that starts no more threads, as under a limit on processes.
#pragma once

#include <gtest/gtest.h>
#include <pthread.h>

#include <cstddef>

namespace carrack::tests {

// While this lives, no thread can be started: its stack would need more addresses than there are.
class NoNewThreads {
 public:
  NoNewThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t larger;
    pthread_getattr_default_np(&larger);
    pthread_attr_setstacksize(&larger, std::size_t{1} << 60);
    EXPECT_EQ(pthread_setattr_default_np(&larger), 0);
    pthread_attr_destroy(&larger);
  }
  ~NoNewThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  NoNewThreads(const NoNewThreads&) = delete;
  NoNewThreads& operator=(const NoNewThreads&) = delete;

 private:
  pthread_attr_t before_;
};

}  // namespace carrack::tests
