// A member's stream to its coordinator: opened by name, opened again when it ends, alive in its coordinator's eyes
// however long the member computes.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "trainer/comm/transport/endpoint.h"

namespace carrack::train {

class Membership {
 public:
  // `hello` is asked anew for each stream: what a server holds changes.
  Membership(Endpoint& endpoint, std::string address, std::function<wire::Hello()> hello);
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;

  // The present stream, or zero.
  PeerId peer() const { return peer_; }
  // Opens a stream if there is none and it is time to try; returns it if so, else zero.
  PeerId join_if_due(std::chrono::steady_clock::time_point now);
  // Whether it was this stream that ended.
  bool closed(PeerId peer);

 private:
  void beat(const std::stop_token& stop);

  Endpoint& endpoint_;
  std::string address_;
  std::function<wire::Hello()> hello_;
  std::chrono::steady_clock::time_point due_;
  std::atomic<PeerId> peer_ = 0;
  std::jthread beats_;  // Last: it uses all of the above.
};

}  // namespace carrack::train
