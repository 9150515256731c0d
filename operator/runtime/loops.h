// Control loops that run side by side, each on a thread of its own, so that jobs whose requests are answered slowly
// delay few others. The same loop handles a job always, so all that Loop guarantees for a job holds.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "operator/runtime/loop.h"

namespace carrack::control {

// Which of `count` loops handles the job NAMESPACE/NAME. The jobs of a namespace are spread over four of them: if all
// are slow, because of the namespace's webhooks for example, most other namespaces do not notice.
std::size_t loop_of(const std::string& job, std::size_t count);

class Loops {
 public:
  // As for a Loop. The loops call `cluster`, `decide` and `on_pass` at the same time, but never for the same job.
  Loops(std::size_t count, Cluster& cluster, const Clock& clock, const Loop::Decide& decide,
        const Loop::OnPass& on_pass);

  // May be called from any thread.
  void wake(const std::string& job);

  // Runs all loops until `stop` is requested.
  void run(const std::stop_token& stop);

  // The functions below may be called from any thread.

  // Of the passes that are being made, when the first began; nullopt if none is.
  std::optional<Instant> pass_started_at() const;
  // How many jobs wait for a pass.
  std::size_t waiting() const;

 private:
  std::vector<std::unique_ptr<Loop>> loops_;
};

}  // namespace carrack::control
