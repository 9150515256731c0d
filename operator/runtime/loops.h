// Loops runs several control loops (loop.h) at the same time, each on its own thread, for carrack-operator. A job to
// which the API server answers slowly then delays only the jobs of its loop. A job is always handled by the same loop,
// so everything that Loop guarantees for a job holds. All functions except run() may be called from any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "operator/runtime/loop.h"

namespace carrack::control {

// Returns which of `count` loops handles the job NAMESPACE/NAME: a number from 0 to count - 1, computed from the name
// by a hash. The jobs of a namespace are spread over at most four loops. If these are slow, for example because of the
// namespace's webhooks, most other namespaces are not affected.
std::size_t loop_of(const std::string& job, std::size_t count);

class Loops {
 public:
  // `count`, at least 1, is the number of loops. The other arguments are those of Loop; each loop has its own copies of
  // `decide` and `on_pass`. The loops call `cluster`, `decide` and `on_pass` at the same time, but never for the same
  // job.
  Loops(std::size_t count, Cluster& cluster, const Clock& clock, const Loop::Decide& decide,
        const Loop::OnPass& on_pass);

  // Makes the job due in its loop, because something has happened to it. Does not block.
  void wake(const std::string& job);

  // Runs all loops until `stop` is requested. Blocks until the passes that have begun are complete.
  void run(const std::stop_token& stop);

  // When the oldest of the current passes began; nullopt if no loop makes a pass.
  std::optional<Instant> pass_started_at() const;
  // The sum of Loop::waiting() of all loops.
  std::size_t waiting() const;

 private:
  std::vector<std::unique_ptr<Loop>> loops_;
};

}  // namespace carrack::control
