// What a worker's Alive says: what it computes or waits for and since when, and which servers it reaches. Its caller
// passes in what the worker does after each event, and the time. Not thread-safe.
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
  // The worker does this now, and has since the last call if that passed the same.
  void does(const Worker::Doing& doing, Instant now);
  // Whether it has an open stream to this server, as of now. Servers that are not named again keep what was said last.
  void link(std::uint32_t server, std::uint32_t incarnation, bool is_open, Instant now);

  // Adds `work` and `links`. `computes` is the kind of work of a worker that computes: RECORDS, COMPUTING or PROGRAM. A
  // link says for how long it had not been open when link() was last called, so that nothing is said of a server while
  // the worker's thread is too busy to look.
  void add_to(wire::Alive& alive, wire::Work::Kind computes, Instant now) const;

 private:
  struct Link {
    std::uint32_t incarnation = 0;
    std::optional<Instant> closed_since = {};
    Instant seen = {};
  };

  Worker::Doing doing_;
  Instant since_;  // of doing_
  std::uint64_t batches_ = 0;
  std::chrono::milliseconds last_took_{0};
  std::map<std::uint32_t, Link> links_;  // by server
};

}  // namespace carrack::train
