#include "tests/operator/simulation/planted.h"

#include <algorithm>

#include "operator/core/conditions.h"
#include "operator/core/reasons.h"
#include "operator/core/restart.h"

namespace carrack::simulation {
namespace {

using control::Action;
using control::Cluster;
using control::Decision;
using control::JobSpec;
using control::JobStatus;
using control::Observed;
using control::Reply;
using control::Snapshot;
using control::Time;
using control::Version;

// Hands every call on; a bug overrides one.
class Between : public Cluster {
 public:
  explicit Between(Cluster& below) : below_(below) {}
  Snapshot observe(const std::string& job, control::Reading reading) override { return below_.observe(job, reading); }
  Reply put_status(const std::string& job, Version read, const JobStatus& status) override {
    return below_.put_status(job, read, status);
  }
  Reply apply(const std::string& job, const JobSpec& spec, const Action& action) override {
    return below_.apply(job, spec, action);
  }
  void watch(std::function<void(const std::string&)> wake) override { below_.watch(std::move(wake)); }

 protected:
  Cluster& below_;
};

class ActionsFirst : public Between {
 public:
  using Between::Between;
  Snapshot observe(const std::string& job, control::Reading reading) override {
    if (held_) below_.put_status(held_->job, held_->read, held_->status);
    held_.reset();
    return below_.observe(job, reading);
  }
  Reply put_status(const std::string& job, Version read, const JobStatus& status) override {
    held_ = Held{job, read, status};
    return {control::WriteResult::done, read, ""};
  }

 private:
  struct Held {
    std::string job;
    Version read;
    JobStatus status;
  };
  std::optional<Held> held_;
};

class UnchangedIsNotWritten : public Between {
 public:
  using Between::Between;
  Snapshot observe(const std::string& job, control::Reading reading) override {
    auto snapshot = below_.observe(job, reading);
    if (snapshot.job) last_ = snapshot.job->status;
    return snapshot;
  }
  Reply put_status(const std::string& job, Version read, const JobStatus& status) override {
    if (status == last_) return {control::WriteResult::done, read, ""};
    return below_.put_status(job, read, status);
  }

 private:
  JobStatus last_;
};

class AnyViewWillDo : public Between {
 public:
  using Between::Between;
  Snapshot observe(const std::string& job, control::Reading) override {
    auto snapshot = below_.observe(job, control::Reading::cached);
    snapshot.seen.fill(~Version{0});
    return snapshot;
  }
};

// Only processes of the job that ends last would be left.
class NothingIsDeleted : public Between {
 public:
  using Between::Between;
  Reply apply(const std::string& job, const JobSpec& spec, const Action& action) override {
    if (std::holds_alternative<control::DeleteProcess>(action)) return {.result = control::WriteResult::already};
    return below_.apply(job, spec, action);
  }
};

class RefusalStopsEverything : public Between {
 public:
  using Between::Between;
  Reply apply(const std::string& job, const JobSpec& spec, const Action& action) override {
    if (!refused_.empty() && control::child_of(action) != refused_) return said_;
    const Reply reply = below_.apply(job, spec, action);
    const bool is_refused = reply.result == control::WriteResult::refused;
    refused_ = is_refused ? control::child_of(action) : "";
    if (is_refused) said_ = reply;
    return reply;
  }

 private:
  std::string refused_;  // that child, until it is created
  Reply said_;
};

class ChecksAreIgnored : public Between {
 public:
  using Between::Between;
  Reply apply(const std::string& job, const JobSpec& spec, const Action& action) override {
    const Reply reply = below_.apply(job, spec, action);
    const bool is_check = std::holds_alternative<control::CheckProcess>(action);
    return is_check ? Reply{.result = control::WriteResult::already} : reply;
  }
};

template <class Bug>
OperatorProcess::Wiring between() {
  return {[](Cluster& below) { return std::make_unique<Bug>(below); }, control::decide};
}

OperatorProcess::Wiring deciding(control::Loop::Decide decide) {
  return {nullptr, std::move(decide)};
}

OperatorProcess::Wiring writing_at_once() {
  return {nullptr, control::decide, true, {control::seconds(0), control::seconds(0)}};
}

Decision raised_after_create(const JobSpec& spec, const JobStatus& status, const Observed& observed, Time now) {
  JobStatus known = status;
  for (const auto& process : observed.processes) {
    auto& member = known.members[process.member];
    if (process.fence.attempt == known.attempt && process.fence.incarnation > member.incarnation) {
      member.incarnation = process.fence.incarnation;
      member.ended = false;
    }
  }
  Decision decision = control::decide(spec, known, observed, now);
  for (const Action& action : decision.actions) {
    const auto* create = std::get_if<control::CreateProcess>(&action);
    if (create) decision.status.members[create->process.launch.member] = {create->process.launch.fence.incarnation - 1};
  }
  return decision;
}

// Takes the dead of earlier attempts for members of this one.
Decision old_failures_count(const JobSpec& spec, const JobStatus& status, const Observed& observed, Time now) {
  Observed mixed = observed;
  for (auto& process : mixed.processes) {
    const auto member = status.members.find(process.member);
    const bool old = process.fence.attempt < status.attempt && process.state == control::ProcessState::exited;
    if (!old || member == status.members.end()) continue;
    process.fence = {status.attempt, member->second.incarnation};
    std::swap(process, mixed.processes.front());
  }
  return control::decide(spec, status, mixed, now);
}

Decision finished_is_forgotten(const JobSpec& spec, const JobStatus& status, const Observed& observed, Time now) {
  JobStatus known = status;
  known.conditions.clear();
  return control::decide(spec, known, observed, now);
}

Decision one_attempt_more(const JobSpec& spec, const JobStatus& status, const Observed& observed, Time now) {
  JobSpec lenient = spec;
  ++lenient.run.backoff_limit;
  return control::decide(lenient, status, observed, now);
}

Decision never_wakes(const JobSpec& spec, const JobStatus& status, const Observed& observed, Time now) {
  Decision decision = control::decide(spec, status, observed, now);
  decision.wake_at.reset();
  return decision;
}

// "The pod is not there, so create it": forgets that it may be there and not seen, or gone and still running.
Decision missing_is_created_again(const JobSpec& spec, const JobStatus& status, const Observed& observed, Time now) {
  Decision decision = control::decide(spec, status, observed, now);
  for (Action& action : decision.actions) {
    auto* create = std::get_if<control::CreateProcess>(&action);
    if (!create) continue;
    const auto known = status.members.find(create->process.launch.member);
    if (known == status.members.end() || known->second.ended || decision.status.attempt != status.attempt) continue;
    decision.status.members[known->first] = known->second;
    create->process = control::process_of(spec, known->first, {status.attempt, known->second.incarnation});
  }
  return decision;
}

Decision refusals_are_forgotten(const JobSpec& spec, const JobStatus& status, const Observed& observed, Time now) {
  Observed without = observed;
  without.answers.clear();
  return control::decide(spec, status, without, now);
}

Decision refused_do_not_rest(const JobSpec& spec, const JobStatus& status, const Observed& observed, Time now) {
  Observed rested = observed;
  for (auto& [child, answer] : rested.answers) answer.at = Time{};
  return control::decide(spec, status, rested, now);
}

Decision waits_are_restarts(const JobSpec& spec, const JobStatus& status, const Observed& observed, Time now) {
  Decision decision = control::decide(spec, status, observed, now);
  const bool starts_again =
      std::ranges::any_of(decision.status.members, [](const auto& member) { return member.second.incarnation > 1; });
  if (starts_again && !is_finished(decision.status)) {
    set_condition(decision.status, {control::ConditionType::restarting, true, "MemberRestarts", "", now});
  }
  return decision;
}

Decision hung_have_all_their_grace(const JobSpec& spec, const JobStatus& status, const Observed& observed, Time now) {
  Decision decision = control::decide(spec, status, observed, now);
  for (Action& action : decision.actions) {
    if (auto* remove = std::get_if<control::DeleteProcess>(&action)) remove->grace = spec.run.drain;
  }
  return decision;
}

Decision hung_are_replaced_at_once(const JobSpec& spec, const JobStatus& status, const Observed& observed, Time now) {
  JobStatus known = status;
  for (auto& [member, start] : known.members) start.reported_hung.reset();
  return control::decide(spec, known, observed, now);
}

Decision hung_are_not_replaced(const JobSpec& spec, const JobStatus& status, const Observed& observed, Time now) {
  Observed without = observed;
  if (without.report) without.report->hung.clear();
  return control::decide(spec, status, without, now);
}

Decision final_reports_are_ignored(const JobSpec& spec, const JobStatus& status, const Observed& observed, Time now) {
  Observed without = observed;
  for (auto& process : without.processes) process.final_report.reset();
  return control::decide(spec, status, without, now);
}

Decision a_member_is_forgotten(const JobSpec& spec, const JobStatus& status, const Observed& observed, Time now) {
  Decision decision = control::decide(spec, status, observed, now);
  if (!decision.status.members.empty()) decision.status.members.erase(decision.status.members.begin());
  return decision;
}

// Takes every time in a status for one that the clock as it is now has shown.
Decision times_are_believed(const JobSpec& spec, const JobStatus& status, const Observed& observed, Time now) {
  for (const auto& [member, start] : status.members) {
    if (start.not_before > now + control::longest_pause(status, start)) return {status, {}, start.not_before};
  }
  return control::decide(spec, status, observed, now);
}

Decision image_is_the_operators(const JobSpec& spec, const JobStatus& status, const Observed& observed, Time now) {
  Decision decision = control::decide(spec, status, observed, now);
  for (Action& action : decision.actions) {
    if (auto* create = std::get_if<control::CreateProcess>(&action)) create->process.image = observed.trainer_image;
  }
  return decision;
}

Decision no_key_is_created(const JobSpec& spec, const JobStatus& status, const Observed& observed, Time now) {
  Decision decision = control::decide(spec, status, observed, now);
  std::erase_if(decision.actions, [](const Action& one) { return std::holds_alternative<control::CreateKey>(one); });
  return decision;
}

// Takes the success of any process of the user's own program for that of the job.
Decision any_success_is_enough(const JobSpec& spec, const JobStatus& status, const Observed& observed, Time now) {
  Decision decision = control::decide(spec, status, observed, now);
  const bool any = std::ranges::any_of(observed.processes, [](const auto& process) {
    return process.state == control::ProcessState::exited && process.exit_code == 0;
  });
  if (spec.own && any && !is_finished(decision.status)) {
    finish(decision.status, {true, control::reasons::training_succeeded, ""}, now);
  }
  return decision;
}

PlantedBug of_the_peers(const std::string& name, const std::string& found_by, const PeerRules& rules) {
  return {name, found_by, {}, rules};
}

}  // namespace

const std::vector<PlantedBug>& planted_bugs() {
  static const std::vector<PlantedBug> bugs = {
      {"actions before the status write", "status comes before actions", between<ActionsFirst>(), {}},
      {"unchanged status not written", "status comes before actions", between<UnchangedIsNotWritten>(), {}},
      {"any view will do", "no view is older than our writes", between<AnyViewWillDo>(), {}},
      {"incarnation raised late", "incarnations are raised before the create", deciding(raised_after_create), {}},
      {"missing process created again", "incarnations are unique", deciding(missing_is_created_again), {}},
      {"failures of an old attempt counted", "only present failures are charged", deciding(old_failures_count), {}},
      {"finished forgotten", "finished stays finished", deciding(finished_is_forgotten), {}},
      {"one attempt more", "attempts stay within the limit", deciding(one_attempt_more), {}},
      {"never wakes", "every job ends or names its wait", deciding(never_wakes), {}},
      {"refusals forgotten", "what was never created keeps its incarnation", deciding(refusals_are_forgotten), {}},
      {"refused members do not rest", "a refused start rests", deciding(refused_do_not_rest), {}},
      {"reports written at once", "reports alone are written rarely", writing_at_once(), {}},
      {"a refusal stops everything", "a refusal rests only its member", between<RefusalStopsEverything>(), {}},
      {"checks of pods ignored", "an invalid pod fails its job", between<ChecksAreIgnored>(), {}},
      {"hung processes have all their grace", "what hangs gets no grace", deciding(hung_have_all_their_grace), {}},
      {"reported hung replaced again", "a report replaces few members", deciding(hung_are_replaced_at_once), {}},
      {"reported hung not replaced", "every job ends or names its wait", deciding(hung_are_not_replaced), {}},
      {"waits taken for restarts", "only what has run restarts", deciding(waits_are_restarts), {}},
      {"final reports ignored", "only present failures are charged", deciding(final_reports_are_ignored), {}},
      {"a member forgotten", "a stored status is read as it was", deciding(a_member_is_forgotten), {}},
      {"times in a status believed", "a clock that is set holds nothing", deciding(times_are_believed), {}},
      {"no key created", "every job ends or names its wait", deciding(no_key_is_created), {}},
      {"image of the present operator", "an attempt has one image", deciding(image_is_the_operators), {}},
      {.name = "processes of an ended job go on",
       .found_by = "jobs that share room all end",
       .wiring = between<NothingIsDeleted>(),
       .rules = {},
       .worlds = PlantedBug::Worlds::of_two_jobs},
      {.name = "statuses replaced as a whole",
       .found_by = "what another release has written stays",
       .wiring = {nullptr, control::decide, false},
       .rules = {},
       .worlds = PlantedBug::Worlds::of_releases},
      {"any success is enough", "success is of those that count", deciding(any_success_is_enough), {}},
      {"children without an owner", "nothing is left of a deleted job", {}, {}, false},
      {"nodes that do not notice what hangs", "every job ends or names its wait", {}, {}, true, false},
      of_the_peers("HEAD written without its condition", "only the present fence writes HEAD",
                   {.head_is_conditional = false}),
      of_the_peers("a late create accepted by peers", "superseded members do not contribute",
                   {.refuse_superseded = false}),
      of_the_peers("success before the last commit", "success is committed", {.end_after_last_commit = false}),
      of_the_peers("progress told before HEAD was read", "no commit is taken for lost",
                   {.claim_before_telling = false}),
  };
  return bugs;
}

}  // namespace carrack::simulation
