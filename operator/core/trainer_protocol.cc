// The protocol of jobs that the trainer runs. The coordinator leads; with strategy Single the only worker does.
#include "operator/core/protocol.h"

#include "trainer/launch/exit.h"

namespace carrack::control {
namespace {

using train::Exit;
using train::Member;
using train::Role;

// A leader that ends with success, but has not reported the last commit, is no trainer, or could not write its report.
// The operator starts it again: a trainer then finds the commit in the checkpoint folder, and reports it.
ExitMeaning meaning_of_success(const JobStatus& status, bool is_leader) {
  if (!is_leader) return {Ending::before_leader};
  if (reported_final_commit(status)) return {Ending::done};
  return {Ending::failed, ", but reported no commit of the last step"};
}

class TrainerProtocol : public JobProtocol {
 public:
  Member leader(const JobSpec& spec) const override {
    return spec.config.strategy == train::Strategy::single ? Member{Role::worker, 0} : Member{Role::coordinator, 0};
  }

  ExitMeaning meaning_of(const JobStatus& status, const JobSpec& spec, const ObservedProcess& exited) const override {
    switch (static_cast<Exit>(exited.exit_code)) {
      case Exit::succeeded:
        return meaning_of_success(status, exited.member == leader(spec));
      case Exit::user_error:
        return {Ending::user_error};
      case Exit::checkpoint_taken:
        return {Ending::checkpoint_taken};
      case Exit::drained:
        return {.ending = Ending::uncharged, .drained = !exited.disrupted};
      case Exit::platform_error:
      case Exit::bug:
      case Exit::superseded:
        return {Ending::failed};
    }
    return {exited.disrupted ? Ending::uncharged : Ending::failed};
  }

  bool has_succeeded(const JobStatus& status, const JobSpec& spec) const override {
    const auto found = status.members.find(leader(spec));
    return found != status.members.end() && found->second.done;
  }

  bool restarts_as_one(const JobSpec&) const override { return false; }

  // Each new commit clears the failures, so time need not.
  bool forgives_by_time() const override { return false; }

  // First the workers leave, then the coordinator, which commits what they have done, then the parameter servers. The
  // newest process of the coordinator counts even if the status says that this start has ended, because the process may
  // still commit. With strategy Single there is only one process, so it is stopped immediately.
  Stage drain_stage(const JobStatus& status, const JobSpec& spec, const Observed& observed) const override {
    if (spec.config.strategy == train::Strategy::single) return Stage::stopped;
    const auto coordinator = status.members.find({Role::coordinator, 0});
    const int incarnation = coordinator == status.members.end() ? 0 : coordinator->second.incarnation;
    bool is_committing = false;
    for (const ObservedProcess& process : observed.processes) {
      if (!is_alive(process)) continue;
      if (process.member.role == Role::worker) return Stage::draining;
      is_committing = is_committing || (process.member.role == Role::coordinator &&
                                        process.fence == train::Fence{status.attempt, incarnation});
    }
    return is_committing ? Stage::committing : Stage::stopped;
  }
};

}  // namespace

const JobProtocol& trainer_protocol() {
  static const TrainerProtocol protocol;
  return protocol;
}

bool reported_final_commit(const JobStatus& status) {
  return status.progress && status.progress->steps > 0 && status.last_checkpoint &&
         status.last_checkpoint->step >= status.progress->steps;
}

}  // namespace carrack::control
