// Decides from the workers' Alive messages which member is stuck or cannot be reached. It names at most one member at a
// time, because a fault of one member often makes others look hung.
#include <algorithm>
#include <cmath>

#include "trainer/comm/protocol/coordinator.h"
#include "trainer/points.h"

namespace carrack::train {
namespace {

using std::chrono::milliseconds;

// A worker may be considered hung if it computes a step for longer than step_time_min, and for longer than step_medians
// times the median of all steps. The first step of a process gets more time, because it may have to fill caches.
constexpr milliseconds step_time_min = std::chrono::seconds(60);
constexpr milliseconds first_step_time_min = std::chrono::seconds(300);
constexpr int step_medians = 20;
// The maximum of the times that workers report, so that times can be multiplied without overflow.
constexpr milliseconds time_max = std::chrono::hours(24 * 365);
// A worker cannot reach a server if it has had no open stream to it for this long.
constexpr milliseconds unreached_time_max = std::chrono::seconds(15);
// A server is missing if it opens no new stream to the coordinator for this long after its last one has ended.
constexpr milliseconds missing_time_max = std::chrono::seconds(60);
// The minimum time between two verdicts, and between the start of a coordinator and its first verdict.
constexpr milliseconds conclude_every = std::chrono::seconds(60);
// CoordinatorRole calls tick() several times a second. If a call comes later than tick_late after the last one, this
// process or its machine has stood still, and that time must not count as silence of a member. A shorter standstill
// needs no correction: together with the second between two Alive messages it is shorter than silence_limit. After a
// standstill of more than tick_very_late, verdicts are also delayed (note_standstill()).
constexpr milliseconds tick_late = std::chrono::seconds(2), tick_very_late = std::chrono::seconds(5);

milliseconds time_of(std::uint64_t ms) {
  return milliseconds(std::min(ms, static_cast<std::uint64_t>(time_max.count())));
}

bool computes(const wire::Work& work) {
  return work.kind() == wire::Work::RECORDS || work.kind() == wire::Work::COMPUTING;
}

std::string seconds_text(milliseconds time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count()) + " s";
}

}  // namespace

void Coordinator::alive(Member& member, const wire::Alive& message) {
  member.alive = message;
  // A worker that opens a new stream reports again how long its last batch took. That time must not count twice.
  CountedBatches& counted = counted_batches_[member.index];
  if (counted.incarnation != member.incarnation) counted = {member.incarnation, 0};
  if (message.work().batches() <= counted.batches) return;
  counted.batches = message.work().batches();
  step_times_.add(time_of(message.work().last_took_ms()));
}

std::optional<double> Coordinator::input_wait() const {
  double sum = 0;
  int workers = 0;
  for (const auto& [peer, member] : members_) {
    if (!member.alive || !member.alive->has_input_wait()) continue;
    const double share = member.alive->input_wait();
    sum += std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0;
    ++workers;
  }
  if (workers == 0) return std::nullopt;
  return sum / workers;
}

std::vector<Hung> Coordinator::hung() const {
  std::vector<Hung> all;
  for (const auto& [place, verdict] : hung_) {
    const Role role = place.first == MemberRole::server ? Role::ps : Role::worker;
    all.push_back({{role, static_cast<int>(place.second)}, verdict.incarnation, verdict.why});
  }
  return all;
}

void Coordinator::conclude_if_due() {
  if (ended_) return;
  const CrashPoint point("coordinator.conclude");
  // A server need not be replaced once a worker reaches it again.
  std::erase_if(hung_, [&](const auto& one) {
    const auto& [role, index] = one.first;
    return role == MemberRole::server && shards_.contains(index) && worker_that_reaches(index);
  });
  if (now_ < conclude_from_) return;
  const std::optional<Verdict> found = verdict();
  if (!found) return;
  conclude_from_ = now_ + conclude_every;
  hung_[found->place] = *found;
  const auto& [role, index] = found->place;
  if (role == MemberRole::server) {
    if (shards_.contains(index)) unreached_before_.insert(index);
    return;
  }
  unreached_before_.clear();
  for (const PeerId peer : workers()) {
    if (members_.at(peer).index != index) continue;
    refuse(peer, found->why, false);
    remove_member(peer);
  }
}

// While this process stood still, messages may have arrived that it has not read yet. So the time of a standstill does
// not count as silence. After a long standstill, and after its start, the coordinator considers no member hung until it
// has had time to hear from all members.
void Coordinator::note_standstill() {
  const std::optional<Instant> before = std::exchange(ticked_, now_);
  if (!before || now_ - *before > tick_very_late) {
    conclude_from_ = now_ + conclude_every;
    for (auto& [index, gone] : gone_) gone.since = now_;
  }
  if (!before || now_ - *before <= tick_late) return;
  const auto moved = [&](Instant time) { return std::min(time + (now_ - *before), now_); };
  for (auto& [peer, member] : members_) member.last_heard = moved(member.last_heard);
  if (last_worked_) last_worked_ = moved(*last_worked_);
}

// Makes the checks in an order in which faults that stop more members come first. Returns the first verdict.
std::optional<Coordinator::Verdict> Coordinator::verdict() const {
  for (const auto& look : {&Coordinator::on_missing_server, &Coordinator::on_unreached_server,
                           &Coordinator::on_cut_off_worker, &Coordinator::on_hung_worker}) {
    if (std::optional<Verdict> found = (this->*look)()) return found;
  }
  return std::nullopt;
}

// Finds a server whose stream has ended and that has opened no new one since. Its process may be replaced already, and
// the new one may not have joined yet. That does no harm: the verdict names the incarnation of the old process, so the
// operator does not act on it.
std::optional<Coordinator::Verdict> Coordinator::on_missing_server() const {
  if (workers().empty()) return std::nullopt;
  for (const auto& [index, gone] : gone_) {
    const Place place{MemberRole::server, index};
    if (hung_.contains(place) || now_ - gone.since < missing_time_max) continue;
    return Verdict{place, gone.incarnation,
                   "has opened no new stream to the coordinator for " +
                       seconds_text(std::chrono::duration_cast<milliseconds>(now_ - gone.since))};
  }
  return std::nullopt;
}

// Returns for how long the worker has been in its state, without the time before it joined this coordinator. `ms` is
// the time that the worker reports. It may include time in which the worker's process was stopped before it joined
// again, which must not count.
milliseconds Coordinator::time_here(const Member& worker, std::uint64_t ms) const {
  return std::min(time_of(ms), std::chrono::duration_cast<milliseconds>(now_ - worker.joined));
}

// True if the worker has made progress since this verdict, so that it may join again. A worker that computed for too
// long must have finished a batch. A worker that did not reach a server must reach it now. It may also join if the
// server has a new process: without an assignment the worker does not know that process, and cannot reach it yet.
bool Coordinator::goes_on(const Verdict& verdict, const wire::Alive& alive) const {
  if (!verdict.unreached) return alive.work().batches() > verdict.batches;
  const auto shard = shards_.find(verdict.unreached->index());
  if (shard == shards_.end()) return false;
  if (members_.at(shard->second.peer).incarnation != verdict.unreached->incarnation()) return true;
  return std::ranges::any_of(alive.links(), [&](const wire::Link& link) {
    return link.server() == verdict.unreached->index() && link.incarnation() == verdict.unreached->incarnation() &&
           !link.has_unreached_ms();
  });
}

// Returns what the worker reports about the server; nullptr if it reports nothing. A worker that has an assignment
// reports on all servers in the order of their indices, so the index of the server is its place in the list.
const wire::Link* Coordinator::report_on(const Member& worker, std::uint32_t server) const {
  if (!worker.alive || static_cast<int>(server) >= worker.alive->links_size()) return nullptr;
  return &worker.alive->links(static_cast<int>(server));
}

// True if what the worker reports about the server is out of date, probably because the worker itself hangs: it has not
// checked its stream to the server for long, or it still names an earlier process of the server.
bool Coordinator::cannot_tell(const Member& worker, std::uint32_t server) const {
  const wire::Link* link = report_on(worker, server);
  if (link == nullptr) return false;
  const Member& current = members_.at(shards_.at(server).peer);
  const bool names_earlier = link->incarnation() < current.incarnation && now_ - current.joined >= unreached_time_max;
  return names_earlier || time_of(link->age_ms()) >= unreached_time_max;
}

// Returns what the worker reports about the server's current process; nullptr if it reports nothing that is up to date.
const wire::Link* Coordinator::link_to(const Member& worker, std::uint32_t server) const {
  const wire::Link* link = report_on(worker, server);
  if (link == nullptr || !shards_.contains(server) || cannot_tell(worker, server)) return nullptr;
  const bool is_this_start = link->incarnation() == members_.at(shards_.at(server).peer).incarnation;
  return link->server() == server && is_this_start ? link : nullptr;
}

bool Coordinator::is_reached_by(const Member& worker, std::uint32_t server) const {
  const wire::Link* link = link_to(worker, server);
  return link != nullptr && !link->has_unreached_ms();
}

std::optional<std::uint32_t> Coordinator::worker_that_reaches(std::uint32_t server) const {
  for (const PeerId peer : workers()) {
    if (is_reached_by(members_.at(peer), server)) return members_.at(peer).index;
  }
  return std::nullopt;
}

// Finds a server that none of the workers with up-to-date reports reaches. If there is only one such worker, either
// side may be at fault. The first verdict then names the server. If the worker does not reach the server's new process
// either, the next verdict names the worker.
std::optional<Coordinator::Verdict> Coordinator::on_unreached_server() const {
  for (const auto& [server, shard] : shards_) {
    const Place place{MemberRole::server, server};
    std::vector<PeerId> all = workers();
    std::erase_if(all, [&, server = server](PeerId peer) { return cannot_tell(members_.at(peer), server); });
    const auto cannot_reach = [&, server = server](PeerId peer) {
      const Member& member = members_.at(peer);
      const wire::Link* link = link_to(member, server);
      return link != nullptr && link->has_unreached_ms() &&
             time_here(member, link->unreached_ms()) >= unreached_time_max;
    };
    if (all.empty() || hung_.contains(place) || !std::ranges::all_of(all, cannot_reach)) continue;
    if (all.size() == 1 && unreached_before_.contains(server)) {
      return cut_off(members_.at(all.front()), server, "cannot reach", ", whose process is a new one");
    }
    return Verdict{place, members_.at(shard.peer).incarnation, "no worker reaches it"};
  }
  return std::nullopt;
}

// Returns the verdict that the worker does not reach the server. `before` and `after` are the parts of the message
// around the name of the server.
Coordinator::Verdict Coordinator::cut_off(const Member& worker, std::uint32_t server, const std::string& before,
                                          const std::string& after) const {
  Verdict verdict{Place{MemberRole::worker, worker.index}, worker.incarnation,
                  before + " parameter server " + std::to_string(server) + after};
  wire::Server& unreached = verdict.unreached.emplace();
  unreached.set_index(server);
  unreached.set_incarnation(members_.at(shards_.at(server).peer).incarnation);
  return verdict;
}

// Finds a worker that does not reach a server, although another worker reaches that server.
std::optional<Coordinator::Verdict> Coordinator::on_cut_off_worker() const {
  for (const PeerId peer : workers()) {
    const Member& member = members_.at(peer);
    for (const auto& [server, shard] : shards_) {
      const wire::Link* link = link_to(member, server);
      if (link == nullptr || !link->has_unreached_ms()) continue;
      const milliseconds time = time_here(member, link->unreached_ms());
      const std::optional<std::uint32_t> other = worker_that_reaches(server);
      if (time < unreached_time_max || !other) continue;
      return cut_off(member, server, "has not reached",
                     " for " + seconds_text(time) + ", and worker " + std::to_string(*other) + " reaches it");
    }
  }
  return std::nullopt;
}

// True if the job cannot continue until this worker has finished what it computes. In Sync the job waits for every
// worker that has lanes (a share of each batch), even if it still computes for an earlier timeline or assignment: it
// begins its new work only after that. The job does not wait for a worker without lanes. It may still compute lanes
// that it had before, but other workers have them now.
bool Coordinator::is_awaited(PeerId peer, const wire::Work& work) const {
  if (settings_.sync) {
    return members_.at(peer).has_lanes && (work.timeline() != timeline_ || work.batch() <= batches_done());
  }
  return std::ranges::any_of(leases_, [&](const auto& lease) { return lease.second == peer; });
}

// True if another worker is done, which shows that this worker need not take so long. In Sync the other worker is at a
// later version; in Async it has finished a batch since this one began. A worker that has nothing to do counts as well,
// since it could compute the batch instead. In Sync it counts only once the coordinator knows how long a batch takes.
// Otherwise a verdict against a slow worker would divide the lanes again, which discards what all workers compute, and
// they would begin their first batch again and again.
bool Coordinator::others_are_done(PeerId peer, const wire::Work& work) const {
  return std::ranges::any_of(workers(), [&](PeerId other) {
    const Member& member = members_.at(other);
    if (other == peer || !member.alive || !member.alive->has_work()) return false;
    if (settings_.sync) {
      const wire::Work& its = member.alive->work();
      const bool could_do_it = its.kind() == wire::Work::NOTHING && !step_times_.is_empty();
      return its.timeline() == timeline_ && (could_do_it || its.batch() > batches_done());
    }
    const bool has_finished = member.finished_last && now_ - *member.finished_last < time_of(work.for_ms());
    return has_finished || std::ranges::none_of(leases_, [&](const auto& lease) { return lease.second == other; });
  });
}

// Returns the hung worker that has taken longest. Returns nullopt if all workers hang, because
// spec.run.progressDeadlineSeconds is for that case.
std::optional<Coordinator::Verdict> Coordinator::on_hung_worker() const {
  if (!running_) return std::nullopt;
  std::optional<Verdict> found;
  milliseconds longest{0};
  const milliseconds of_median = step_times_.median() * step_medians;
  for (const PeerId peer : workers()) {
    const Member& member = members_.at(peer);
    if (!member.alive || !computes(member.alive->work())) continue;
    const wire::Work& work = member.alive->work();
    const milliseconds time = time_here(member, work.for_ms());
    const milliseconds least = work.batches() == 0 ? first_step_time_min : step_time_min;
    if (time <= longest || time < std::max(least, of_median) || !is_awaited(peer, work) || !others_are_done(peer, work))
      continue;
    longest = time;
    const bool reads = work.kind() == wire::Work::RECORDS;
    found = Verdict{Place{MemberRole::worker, member.index}, member.incarnation,
                    (reads ? "has waited for the records of step " : "has computed step ") +
                        std::to_string(work.batch() + 1) + " for " + seconds_text(time) + ", and others are done",
                    work.batches()};
  }
  return found;
}

}  // namespace carrack::train
