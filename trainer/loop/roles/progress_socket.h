// Serves one text at one path over HTTP, on a thread of its own. It needs little memory and no time of the process that
// owns it, also with slow or many clients: a connection carries one request of at most 8 KiB, is closed 2 seconds after
// it was accepted, and is closed earlier if 64 newer ones are open.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <string>
#include <thread>

#include "dataloader/mutex.h"

namespace carrack::train {

class ProgressSocket {
 public:
  // Answers `GET PATH` at `address`, which is HOST:PORT. Throws Error if it cannot listen there.
  ProgressSocket(const std::string& address, std::string path);
  ~ProgressSocket();
  ProgressSocket(const ProgressSocket&) = delete;
  ProgressSocket& operator=(const ProgressSocket&) = delete;

  // Replaces the text that is served.
  void show(std::string text);
  // Whether a client has read the present text.
  bool was_read() const { return was_read_; }

 private:
  struct Connection {
    int socket;
    std::chrono::steady_clock::time_point deadline;
    std::string request = {};
    bool answered = false;
    bool done = false;
  };

  void serve(const std::stop_token& stop);
  void accept_one();
  void read_from(Connection& connection);
  std::string answer_to(const std::string& request);

  const std::string path_;
  const int listener_;
  Mutex mutex_;
  std::string text_ GUARDED_BY(mutex_);
  std::atomic<bool> was_read_ = false;
  std::deque<Connection> connections_;  // of the thread alone; the oldest first
  std::jthread thread_;                 // last: it uses all of the above
};

}  // namespace carrack::train
