#include "tests/operator/simulation/peers.h"

#include <algorithm>

namespace carrack::simulation {

using train::Exit;
using train::Role;

constexpr int steps_until_members_end = 3;

Folder::Written Folder::swap(int expected, const Head& next, const std::vector<Contributor>& contributors,
                             bool conditional) {
  const bool lost = faults_.strikes(Fault::storage_reply_lost);
  if (lost && faults_.random().chance(0.5)) return Written::unanswered;
  if (conditional && expected != generation_) return lost ? Written::unanswered : Written::lost;
  if (contributors.empty()) {
    checkers_.head_claimed(next);
  } else {
    checkers_.head_committed(next, contributors);
  }
  head_ = next;
  ++generation_;
  return lost ? Written::unanswered : Written::won;
}

Leader::Leader(const train::Launch& launch, int nonce, Surroundings& around)
    : Peer(launch, nonce, around), config_(launch.config) {}

void Leader::step() {
  switch (phase_) {
    case Phase::looking:
      return look();
    case Phase::claiming:
      return claim();
    case Phase::serving:
      return serve();
  }
}

// After a lost reply, HEAD itself tells whether we hold it: our nonce is in it.
void Leader::look() {
  const Head& head = around_.folder.head();
  generation_ = around_.folder.generation();
  if (!head.uid.empty() && head.uid != uid) return end(Exit::checkpoint_taken);
  if (head.nonce == number) {
    step_ = committed_ = head.step;
    finished_ = head.done;
    phase_ = Phase::serving;
    return;
  }
  if (head.fence >= fence) return end(Exit::superseded);
  finished_ = head.done;
  phase_ = Phase::claiming;
  step_ = committed_ = head.step;
}

void Leader::claim() {
  const auto written =
      around_.folder.swap(generation_, {uid, fence, number, step_, finished_}, {}, around_.rules.head_is_conditional);
  phase_ = written == Folder::Written::won ? Phase::serving : Phase::looking;
  if (written == Folder::Written::won) ++generation_;
}

void Leader::serve() {
  if (prepared_) return commit();
  if (finished_ && ++waited_ > steps_until_members_end) return end(Exit::succeeded);
  if (finished_ && !asked_to_leave) return;
  forget_the_dead();
  const bool no_workers = std::none_of(followers_.begin(), followers_.end(),
                                       [](const auto& follower) { return follower.first.role == Role::worker; });
  if (asked_to_leave) {
    if ((member.role == Role::worker || no_workers) && step_ > committed_) return prepare(false);
    return end(Exit::drained);
  }
  if (!can_train()) return look_again();
  ++step_;
  if (step_ >= around_.last_step) {
    if (!around_.rules.end_after_last_commit) {
      committed_ = step_;
      finished_ = true;
      return;
    }
    prepare(true);
  } else if (step_ % 3 == 0) {
    prepare(false);
  }
}

// A leader that waits commits nothing, so it has to look whether it still leads: members that are with it wait as well.
void Leader::look_again() {
  if (around_.folder.head().nonce != number) end(Exit::superseded);
}

void Leader::forget_the_dead() {
  std::erase_if(followers_, [](const auto& follower) { return !follower.second->is_heard(); });
}

bool Leader::can_train() const {
  if (member.role == Role::worker) return true;
  const auto count = [&](Role role) {
    return std::count_if(followers_.begin(), followers_.end(),
                         [&](const auto& follower) { return follower.first.role == role && !follower.second->stuck; });
  };
  return count(Role::ps) >= config_.ps.max && count(Role::worker) >= config_.workers.min;
}

void Leader::prepare(bool done) {
  prepared_ = Head{uid, fence, number, step_, done};
}

void Leader::commit() {
  const auto written = around_.folder.swap(generation_, *prepared_, contributors(), around_.rules.head_is_conditional);
  if (written != Folder::Written::won) {
    prepared_.reset();
    phase_ = Phase::looking;
    return;
  }
  ++generation_;
  committed_ = prepared_->step;
  finished_ = prepared_->done;
  prepared_.reset();
}

std::vector<Contributor> Leader::contributors() const {
  std::vector<Contributor> all = {{member, fence.incarnation, fence.incarnation}};
  for (const auto& [who, follower] : followers_) {
    all.push_back({who, follower->fence.incarnation, newest_.at(who)});
  }
  return all;
}

Leader::WriteResult Leader::admit(Peer& follower) {
  if (phase_ != Phase::serving || finished_ || follower.fence.attempt > fence.attempt) return WriteResult::not_now;
  int& newest = newest_[follower.member];
  const bool superseded = follower.fence.attempt < fence.attempt || follower.fence.incarnation < newest;
  if (superseded && around_.rules.refuse_superseded) return WriteResult::superseded;
  newest = std::max(newest, follower.fence.incarnation);
  followers_[follower.member] = &follower;
  return WriteResult::accepted;
}

void Leader::leave(const Peer& follower) {
  if (!has(follower)) return;
  followers_.erase(follower.member);
}

bool Leader::has(const Peer& follower) const {
  const auto found = followers_.find(follower.member);
  return found != followers_.end() && found->second == &follower;
}

std::optional<control::CoordinatorReport> Leader::report() const {
  if (phase_ != Phase::serving && around_.rules.claim_before_telling) return std::nullopt;
  control::CoordinatorReport report{fence, {step_, around_.last_step}, std::nullopt};
  if (committed_ > 0)
    report.last_checkpoint = control::LastCheckpoint{committed_, "step-" + std::to_string(committed_)};
  for (const auto& [who, follower] : followers_) {
    if (follower->stuck && follower->is_heard())
      report.hung.push_back({who, follower->fence.incarnation, "makes no progress"});
  }
  return report;
}

void Follower::step() {
  if (asked_to_leave) {
    if (leader_ && leader_->lives()) leader_->leave(*this);
    return end(Exit::drained);
  }
  if (leader_ && leader_->has_finished()) return end(Exit::succeeded);
  if (leader_ && leader_->is_heard() && leader_->has(*this)) return;
  leader_ = around_.find_leader(uid);
  if (!leader_ || leader_->fence < highest_leader_) return;
  const Leader::WriteResult answer = leader_->admit(*this);
  if (answer == Leader::WriteResult::superseded) return end(Exit::superseded);
  if (answer == Leader::WriteResult::accepted) highest_leader_ = leader_->fence;
}

void OwnProcess::step() {
  if (asked_to_leave) return end(128 + 15);
  if (++steps_ >= 5) end(0);
}

std::unique_ptr<Peer> make_peer(const train::Launch& launch, int number, Surroundings& around) {
  const bool leads =
      launch.member.role == train::Role::coordinator || launch.config.strategy == train::Strategy::single;
  if (leads) return std::make_unique<Leader>(launch, number, around);
  return std::make_unique<Follower>(launch, number, around);
}

}  // namespace carrack::simulation
