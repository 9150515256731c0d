// Records what a worker does and which servers it reaches, for its Alive messages. The caller calls does() after each
// event that the worker has handled. Times are of the caller's clock. Not thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>

#include "trainer/comm/protocol/instant.h"
#include "trainer/comm/protocol/worker.h"

namespace carrack::train {

class Activity {
 public:
  // Records what the worker does from `now` on. No effect if `doing` equals that of the last call.
  void does(const Worker::Doing& doing, Instant now);
  // Records whether the worker has an open stream to this server at `now`. A server with another incarnation than
  // before counts as a new one. A server for which link() is not called again keeps its last state.
  void link(std::uint32_t server, std::uint32_t incarnation, bool is_open, Instant now);

  // Sets `work`, and appends to `links`. `computes` is the kind that is reported if the worker computes: RECORDS,
  // COMPUTING or PROGRAM. A link reports for how long it had not been open at the last link() call, not at `now`: while
  // the worker's thread is too busy to look, the reported time does not grow.
  void add_to(wire::Alive& alive, wire::Work::Kind computes, Instant now) const;

 private:
  struct Link {
    std::uint32_t incarnation = 0;             // of the server's process
    std::optional<Instant> closed_since = {};  // nullopt: the stream is open
    Instant seen = {};                         // when link() was last called
  };

  Worker::Doing doing_;
  Instant since_;                           // when doing_ began
  std::uint64_t batches_ = 0;               // how often the worker has finished computing
  std::chrono::milliseconds last_took_{0};  // the last time that it computed
  std::map<std::uint32_t, Link> links_;     // by server
};

}  // namespace carrack::train
