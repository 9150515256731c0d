#include "tests/operator/simulation/operator_process.h"

#include <algorithm>
#include <utility>

#include "operator/core/restart.h"

namespace carrack::simulation {

using control::Kind;
using control::ObservedProcess;
using control::Reply;
using control::Snapshot;
using control::Version;
using control::WriteResult;

OperatorProcess::OperatorProcess(Api& api, Nodes& nodes, Checkers& checkers, Faults& faults, const WorldClock& clock,
                                 const Wiring& wiring, std::function<void()> pause, std::string image, Release release)
    : api_(api),
      nodes_(nodes),
      checkers_(checkers),
      faults_(faults),
      clock_(clock),
      pause_(std::move(pause)),
      image_(std::move(image)),
      release_(release),
      patches_status_(wiring.patches_status),
      jobs_(api.jobs),
      pods_(api.pods),
      services_(api.services),
      configs_(api.configs),
      planted_(wiring.cluster ? wiring.cluster(*this) : nullptr),
      loop_(std::make_unique<control::Loop>(
          planted_ ? *planted_ : *this, clock, wiring.decide, [](const control::Pass&) {}, wiring.intervals)) {
  OperatorProcess::watch([this](const std::string& job) { loop_->wake(job); });
}

void OperatorProcess::watch(std::function<void(const std::string&)> wake) {
  wake_ = std::move(wake);
  for (const auto& [job, object] : jobs_.objects()) wake_(job);
}

bool OperatorProcess::api_server_is_away() const {
  return !faults_.have_ended() && clock_.steady_now() < api_.away_until;
}

void OperatorProcess::watch_something() {
  if (api_server_is_away()) return;
  if (faults_.strikes(Fault::list_is_old)) {
    Random& random = faults_.random();
    if (random.chance(0.5)) pods_.fall_back(random.below(pods_.position() + 1));
    if (random.chance(0.5)) jobs_.fall_back(random.below(jobs_.position() + 1));
    if (random.chance(0.5)) services_.fall_back(random.below(services_.position() + 1));
    if (random.chance(0.5)) configs_.fall_back(random.below(configs_.position() + 1));
    wake_all();
  }
  const auto advance = [&](auto& view) {
    if (!view.is_behind()) return;
    view.advance();
    wake_all();
  };
  switch (faults_.random().below(control::kinds)) {
    case 0:
      return advance(jobs_);
    case 1:
      return advance(pods_);
    case 2:
      return advance(services_);
    default:
      return advance(configs_);
  }
}

void OperatorProcess::catch_up() {
  const auto advance = [&](auto& view) {
    while (view.is_behind()) {
      view.advance();
      wake_all();
    }
  };
  advance(jobs_);
  advance(pods_);
  advance(services_);
  advance(configs_);
}

void OperatorProcess::wake_all() {
  for (const std::string& job : api_.job_keys) wake_(job);
}

void OperatorProcess::poll_report() {
  for (const auto& [name, job] : api_.jobs.objects()) {
    const auto report = nodes_.report_of(*job.object.spec);
    if (!report) continue;
    const auto [known, is_new] = reports_.try_emplace(job.object.spec->uid, *report);
    if (!is_new && known->second == *report) continue;
    known->second = *report;
    wake_(name);
  }
}

Snapshot OperatorProcess::observe(const std::string& job, control::Reading reading) {
  before_call();
  if (api_server_is_away() || faults_.strikes(Fault::reply_lost)) throw std::runtime_error("no answer");
  const bool quorum = reading == control::Reading::quorum;
  check_writes();
  status_written_ = false;
  owed_ = written_[job];
  seen_ = quorum ? control::Versions{api_.jobs.version(), api_.pods.version(), api_.services.version(),
                                     api_.configs.version()}
                 : control::Versions{jobs_.seen(), pods_.seen(), services_.seen(), configs_.seen()};
  const auto& jobs = quorum ? api_.jobs.objects() : jobs_.objects();
  const auto found = jobs.find(job);
  Snapshot snapshot{std::nullopt, {}, seen_};
  if (found == jobs.end()) return snapshot;
  const JobObject& record = found->second.object;
  snapshot.job = {*record.spec, known_to(release_, record.status), found->second.version};
  for (const auto& [name, pod] : quorum ? api_.pods.objects() : pods_.objects()) {
    if (pod.object.owner == record.spec->uid) snapshot.observed.processes.push_back(pod.object.shown);
  }
  date_silences(job, snapshot);
  has_seen_nothing_ = snapshot.observed.processes.empty() && !record.status.start_time;
  snapshot.observed.trainer_image = image_;
  if (release_ == Release::present || release_ == Release::newer) snapshot.observed.worker_selector = "role=worker";
  const auto& services = quorum ? api_.services.objects() : services_.objects();
  snapshot.observed.has_service = services.contains(control::service_name(*record.spec));
  const auto& configs = quorum ? api_.configs.objects() : configs_.objects();
  snapshot.observed.has_config = configs.contains(control::config_name(*record.spec));
  const auto report = reports_.find(record.spec->uid);
  if (report != reports_.end()) snapshot.observed.report = report->second;
  if (release_ == Release::older && snapshot.observed.report) snapshot.observed.report->hung.clear();
  return snapshot;
}

void OperatorProcess::before_call() {
  if (faults_.strikes(Fault::operator_dies)) throw OperatorDied{};
  if (faults_.strikes(Fault::operator_pauses)) pause_();
  if (faults_.strikes(Fault::api_server_is_away)) api_.away_until = clock_.steady_now() + std::chrono::minutes(10);
}

// As the loop does: it decides on no view that is older than what it has written or decided on.
void OperatorProcess::date_silences(const std::string& job, const Snapshot& snapshot) {
  control::Versions& decided_on = decided_on_[job];
  const auto is_new = [&](const control::Versions& known) {
    return std::ranges::equal(seen_, known, std::ranges::greater_equal());
  };
  if (!is_new(owed_) || !is_new(decided_on)) return;
  decided_on = seen_;
  looked_at_ = clock_.steady_now();
  const auto before = std::exchange(silent_since_, {});
  for (const ObservedProcess& process : snapshot.observed.processes) {
    if (!process.silent_since) continue;
    const auto known = before.find(process.name);
    silent_since_[process.name] = known == before.end() ? looked_at_ : known->second;
  }
}

void OperatorProcess::check_view() const {
  for (std::size_t kind = 0; kind < control::kinds; ++kind) {
    if (seen_[kind] < owed_[kind]) {
      violated("no view is older than our writes", "kind " + std::to_string(kind) + " was seen at " +
                                                       std::to_string(seen_[kind]) + " and written at " +
                                                       std::to_string(owed_[kind]));
    }
  }
}

Reply OperatorProcess::reply(const std::string& job, std::optional<Kind> kind, Version version) {
  if (kind) {
    Version& written = written_[job][static_cast<std::size_t>(*kind)];
    written = std::max(written, version);
  }
  if (faults_.strikes(Fault::reply_lost)) return {WriteResult::unanswered, 0, "no answer"};
  return version == 0 ? Reply{WriteResult::already, 0, ""} : Reply{WriteResult::done, version, ""};
}

Reply OperatorProcess::put_status(const std::string& job, Version read, const control::JobStatus& status) {
  check_view();
  before_call();
  if (api_server_is_away() || faults_.strikes(Fault::call_refused)) {
    return {WriteResult::unanswered, 0, "no connection"};
  }
  const auto found = api_.jobs.objects().find(job);
  if (found == api_.jobs.objects().end() || found->second.version != read)
    return {WriteResult::conflict, 0, "has changed"};
  const JobObject before = found->second.object;
  checkers_.status_written(*before.spec, before.status, status);
  check_incarnations(*before.spec, before.status, status);
  status_written_ = true;
  // A write that changes nothing is checked against the version and leaves it.
  if (status == known_to(release_, before.status)) return reply(job, Kind::job, read);
  const JobObject after = release_ == Release::only ? JobObject{before.spec, status}
                                                    : written_by(release_, before, status, patches_status_);
  const Reply answer = reply(job, Kind::job, api_.jobs.put(job, after));
  if (answer.result == WriteResult::done) note_write(*before.spec, before.status, status);
  return answer;
}

void OperatorProcess::note_write(const control::JobSpec& spec, const control::JobStatus& before,
                                 const control::JobStatus& after) {
  const bool is_last_commit = control::awaits_end_of_leader(before, spec) != control::awaits_end_of_leader(after, spec);
  const auto [last, is_first] = changed_at_.try_emplace(spec.uid, clock_.steady_now());
  const bool is_soon = !is_first && clock_.steady_now() < last->second + control::WriteIntervals{}.reports;
  wrote_only_reports_ = is_soon && !is_last_commit && control::same_but_for_reports(before, after);
  last->second = clock_.steady_now();
}

void OperatorProcess::check_writes() {
  if (std::exchange(wrote_only_reports_, false)) {
    violated("reports alone are written rarely",
             "only reports changed, soon after another write and for no new action");
  }
}

Reply OperatorProcess::apply(const std::string& job, const control::JobSpec& spec, const control::Action& action) {
  check_view();
  if (!status_written_) violated("status comes before actions", "an action came without its status");
  check_grace(action);
  if (!refused_.contains(control::child_of(action))) wrote_only_reports_ = false;
  before_call();
  if (const auto* check = std::get_if<control::CheckProcess>(&action)) return check_pod(spec, check->process);
  if (api_server_is_away()) {
    refused_.erase(control::child_of(action));  // For all that the operator knows it may have been created.
    return {WriteResult::unanswered, 0, "no connection"};
  }
  if (const std::optional<Reply> refused = refuse(action)) return *refused;
  refused_.erase(control::child_of(action));
  return reply(job, control::kind_of(action), carry_out(job, spec, action));
}

void OperatorProcess::check_grace(const control::Action& action) const {
  const auto* remove = std::get_if<control::DeleteProcess>(&action);
  if (!remove) return;
  const auto silent = silent_since_.find(remove->name);
  // Decisions round times to whole seconds, both of them.
  const auto lasting = control::silence_max + control::seconds(2);
  const bool hangs = silent != silent_since_.end() && looked_at_ >= silent->second + lasting;
  if (hangs && remove->grace > control::seconds(1)) {
    violated("what hangs gets no grace",
             remove->name + " has " + std::to_string(remove->grace.count()) + " s to leave");
  }
}

// A check that is not answered is passed: the create that follows it will be refused.
Reply OperatorProcess::check_pod(const control::JobSpec& spec, const control::Process& process) {
  if (api_server_is_away() || faults_.strikes(Fault::call_refused) || !nodes_.is_invalid(process)) {
    found_invalid_.erase(spec.uid);
    return {.result = WriteResult::already};
  }
  found_invalid_.insert(spec.uid);
  return {.result = WriteResult::refused, .error = invalid_pod, .is_invalid = true};
}

std::optional<Reply> OperatorProcess::refuse(const control::Action& action) {
  const auto* create = std::get_if<control::CreateProcess>(&action);
  const bool by_quota = create && nodes_.is_over_quota(create->process.launch.member);
  const bool is_invalid = create && nodes_.is_invalid(create->process);
  const bool by_fault = !by_quota && !is_invalid && faults_.strikes(Fault::call_refused);
  const auto before = refused_.find(control::child_of(action));
  if (create && before != refused_.end() && before->second &&
      clock_.steady_now() - *before->second < control::seconds(1)) {
    violated("a refused start rests", before->first + " is created again without a rest");
  }
  if (!by_quota && !is_invalid && !by_fault) return std::nullopt;
  const bool rests = by_quota || is_invalid || faults_.random().chance(0.5);
  if (create) refused_[create->process.name] = rests ? std::optional(clock_.steady_now()) : std::nullopt;
  if (is_invalid && !by_quota) return Reply{.result = WriteResult::refused, .error = invalid_pod};
  if (rests) return Reply{.result = WriteResult::refused, .error = "quota exceeded", .over_quota = true};
  return Reply{.result = WriteResult::not_now, .error = "too many requests"};
}

void OperatorProcess::check_incarnations(const control::JobSpec& spec, const control::JobStatus& before,
                                         const control::JobStatus& after) const {
  for (const auto& [member, start] : before.members) {
    const std::string name = control::process_name(spec, member, {before.attempt, start.incarnation});
    const auto next = after.members.find(member);
    if (start.ended || !refused_.contains(name) || next == after.members.end()) continue;
    if (before.attempt != after.attempt || next->second.incarnation == start.incarnation) continue;
    violated("what was never created keeps its incarnation", name + " was refused and is taken for an ended start");
  }
}

namespace {

Version erase(Store<SharedObject>& shared, const std::string& name) {
  return shared.find(name) ? shared.erase(name) : 0;
}

}  // namespace

Version OperatorProcess::carry_out(const std::string& job, const control::JobSpec& spec,
                                   const control::Action& action) {
  if (const auto* service = std::get_if<control::CreateService>(&action)) {
    if (api_.services.find(service->name)) return 0;
    return api_.services.put(service->name, {spec.uid});
  }
  if (const auto* config = std::get_if<control::CreateConfig>(&action)) {
    if (api_.configs.find(config->name)) return 0;
    return api_.configs.put(config->name, {spec.uid});
  }
  if (const auto* key = std::get_if<control::CreateKey>(&action)) {
    if (api_.keys.find(key->name)) return 0;
    return api_.keys.put(key->name, {spec.uid});
  }
  if (const auto* service = std::get_if<control::DeleteService>(&action)) return erase(api_.services, service->name);
  if (const auto* config = std::get_if<control::DeleteConfig>(&action)) return erase(api_.configs, config->name);
  if (std::holds_alternative<control::DeleteJob>(action)) {
    const JobObject* deleted = api_.jobs.find(job);
    return deleted && deleted->spec->uid == spec.uid ? api_.jobs.erase(job) : 0;
  }
  if (const auto* created = std::get_if<control::CreateProcess>(&action)) return create(job, spec, created->process);
  const auto* withdrawn = std::get_if<control::WithdrawProcess>(&action);
  const std::string& name = withdrawn ? withdrawn->name : std::get<control::DeleteProcess>(action).name;
  const PodObject* pod = api_.pods.find(name);
  if (!pod) return 0;
  PodObject changed = *pod;
  if (withdrawn) {
    changed.shown.in_service = false;
  } else {
    changed.shown.terminating = true;
    changed.grace = std::get<control::DeleteProcess>(action).grace;
  }
  if (changed.shown == pod->shown) return 0;
  return api_.pods.put(name, std::move(changed));
}

Version OperatorProcess::create(const std::string& job, const control::JobSpec& spec, const control::Process& process) {
  if (has_seen_nothing_ && found_invalid_.contains(spec.uid))
    violated("an invalid pod fails its job", process.name + " is created after a check found an invalid pod");
  if (api_.pods.find(process.name)) return 0;
  const JobObject* owner = api_.jobs.find(job);
  if (owner && owner->spec->uid == spec.uid) {
    checkers_.created(spec.uid, process.launch.member, process.launch.fence, owner->status);
    checkers_.has_image(spec.uid, process.launch.fence.attempt, process.image);
  }
  ObservedProcess shown;
  shown.name = process.name;
  shown.member = process.launch.member;
  shown.fence = process.launch.fence;
  shown.in_service = process.in_service;
  shown.without_key = process.key.empty();
  nodes_.accept(process);
  return api_.pods.put(process.name, {.shown = shown, .owner = spec.uid});
}

}  // namespace carrack::simulation
