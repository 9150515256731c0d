// Activity records what a worker does and for how long, and which parameter servers it reaches. WorkerAlive
// (loop/roles/worker_alive.h) adds this to the worker's regular Alive messages, from which the coordinator concludes
// which members hang. All times must come from one clock. Not thread-safe.
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
  // Records what the worker does from `now` on. Call it after each event that the worker has handled. No effect if
  // `doing` equals that of the last call.
  void does(const Worker::Doing& doing, Instant now);
  // Records whether the worker has an open stream to this parameter server at `now`. Call it regularly for each server.
  // `incarnation` identifies the server's process: if it differs from that of the last call, the earlier state is
  // forgotten. The last state of a server stays until link() is called for it again.
  void link(std::uint32_t server, std::uint32_t incarnation, bool is_open, Instant now);

  // Fills in the message: sets alive.work, and appends a link for each server to alive.links. `computes` is the kind to
  // report if the worker computes: RECORDS (it waits for records), COMPUTING or PROGRAM (the user's program computes).
  // The time for which a server was not reached ends at the last link() call for it, not at `now`. So it does not grow
  // while the worker's thread is too busy to call link().
  void add_to(wire::Alive& alive, wire::Work::Kind computes, Instant now) const;

 private:
  struct Link {
    std::uint32_t incarnation = 0;             // incarnation of the server's process
    std::optional<Instant> closed_since = {};  // nullopt: the stream is open
    Instant seen = {};                         // when link() was last called
  };

  Worker::Doing doing_;
  Instant since_;                           // when the worker began to do doing_
  std::uint64_t batches_ = 0;               // number of times that the worker has finished computing
  std::chrono::milliseconds last_took_{0};  // how long it computed the last time
  std::map<std::uint32_t, Link> links_;     // by server
};

}  // namespace carrack::train
