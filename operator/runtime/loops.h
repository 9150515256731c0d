// Control loops that run at the same time, each on its own thread, so that jobs whose requests are answered slowly
// delay only few others. A job is always handled by the same loop, so everything that Loop guarantees for a job holds.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "operator/runtime/loop.h"

namespace carrack::control {

// Which of `count` loops handles the job NAMESPACE/NAME. The jobs of a namespace are spread over four loops. If all of
// them are slow, for example because of the namespace's webhooks, most other namespaces do not notice.
std::size_t loop_of(const std::string& job, std::size_t count);

class Loops {
 public:
  // The arguments are those of Loop. The loops call `cluster`, `decide` and `on_pass` at the same time, but never for
  // the same job.
  Loops(std::size_t count, Cluster& cluster, const Clock& clock, const Loop::Decide& decide,
        const Loop::OnPass& on_pass);

  // May be called from any thread.
  void wake(const std::string& job);

  // Runs all loops until `stop` is requested. Blocks.
  void run(const std::stop_token& stop);

  // The functions below may be called from any thread.

  // When the oldest of the current passes began; nullopt between passes.
  std::optional<Instant> pass_started_at() const;
  // How many jobs wait for a pass, as Loop::waiting().
  std::size_t waiting() const;

 private:
  std::vector<std::unique_ptr<Loop>> loops_;
};

}  // namespace carrack::control
