// The protocol of jobs that run the user's own program: only the exit codes of its processes are known, not its
// progress.
#include <algorithm>

#include "operator/core/plan.h"
#include "operator/core/protocol.h"

namespace carrack::control {
namespace {

using train::Member;
using train::Role;

class OwnProtocol : public JobProtocol {
 public:
  Member leader(const JobSpec& spec) const override {
    return spec.own->coordinators > 0 ? Member{Role::coordinator, 0} : Member{Role::worker, 0};
  }

  ExitMeaning meaning_of(const JobStatus&, const JobSpec&, const ObservedProcess& exited) const override {
    // An exit code of 0 proves nothing here: the cluster may end a program early. The program then may save its
    // work and exit with 0.
    if (exited.disrupted || exited.terminating) return {Ending::uncharged};
    return {exited.exit_code == 0 ? Ending::done : Ending::failed};
  }

  bool has_succeeded(const JobStatus& status, const JobSpec& spec) const override {
    const auto is_done = [&](const Member& member) {
      const auto found = status.members.find(member);
      return found != status.members.end() && found->second.done;
    };
    if (spec.own->success == SuccessPolicy::leader) return is_done(leader(spec));
    return std::ranges::all_of(members_of(spec),
                               [&](const Member& member) { return member.role == Role::ps || is_done(member); });
  }

  // With torch.distributed every process waits for all others in every step, and a new process cannot join them. So if
  // one process ends, all of them must start again.
  bool restarts_as_one(const JobSpec& spec) const override { return spec.own->framework == Framework::pytorch; }

  // The operator sees no commits of the user's program, so only time without a failure can clear the failures.
  bool forgives_by_time() const override { return true; }

  // There is no order of leaving: all processes get SIGTERM at the same time.
  Stage drain_stage(const JobStatus&, const JobSpec&, const Observed&) const override { return Stage::stopped; }
};

}  // namespace

const JobProtocol& own_protocol() {
  static const OwnProtocol protocol;
  return protocol;
}

}  // namespace carrack::control
