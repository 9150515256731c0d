// Ends a request from another thread: its connection is shut, so that it fails at once wherever it waits.
#pragma once

#include <mutex>

namespace carrack::data {

class Stop {
 public:
  // From then on, also for a request that has not begun. What has ended stays as it is.
  void stop();
  bool stopped() const;

  // Of the socket that the request waits on; -1: of none any more, as it must be before a socket is closed. False: it
  // is stopped.
  bool watch(int socket);

 private:
  mutable std::mutex mutex_;  // Guards what follows.
  bool stopped_ = false;
  int socket_ = -1;
};

}  // namespace carrack::data
