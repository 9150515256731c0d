// Clipping by norm in Sync: when a step is complete, a server reports the sums of squares of its part of the gradient.
// It applies the step once it knows the sum over all servers.
#include "dataloader/check.h"
#include "trainer/comm/protocol/parameter_server.h"
#include "trainer/optimizer/gradient_norm.h"
#include "trainer/points.h"

namespace carrack::train {

bool ParameterServer::waits_for_norm() const {
  return clips_by_norm(settings_.training) && !total_;
}

// Called when a step is complete. Also retains the norm of the previous step: another server may still need its total,
// and a new coordinator can compute that only if all servers report it again.
void ParameterServer::report_norm() {
  CHECK(ready_);
  const CrashPoint point("ps.report_norm");
  std::erase_if(norms_, [&](const auto& norm) { return norm.first + 1 < state_.version; });
  norms_[state_.version] =
      squares_of_blocks(settings_.training, settings_.parts, settings_.blocks, ready_->counts.records, ready_->sum);
  CHECK_LE(norms_.size(), 2u);
  send_norm(state_.version);
}

// Reports the stored norms again. A new coordinator knows none, and another server may still lack the total of the step
// that this server has applied last.
void ParameterServer::send_norms() {
  for (const auto& [version, squares] : norms_) send_norm(version);
}

void ParameterServer::send_norm(std::uint64_t version) {
  if (coordinator_ == 0) return;
  wire::Message message;
  message.mutable_norm()->set_timeline(timeline_);
  message.mutable_norm()->set_version(version);
  const std::vector<double>& squares = norms_.at(version);
  message.mutable_norm()->mutable_squares()->Add(squares.begin(), squares.end());
  send(coordinator_, std::move(message));
}

void ParameterServer::norm_total(const wire::NormTotal& message) {
  // The coordinator sends each total to all servers. That of an earlier step is for servers that have not applied it
  // yet.
  if (message.timeline() != timeline_ || message.version() != state_.version || !ready_) return;
  const CrashPoint point("ps.norm_total");
  total_ = message.squares();
  advance();
}

}  // namespace carrack::train
