// Which member is stuck, or cannot be reached: what workers say of themselves (Alive) shows it. At most one
// member is taken for hung at a time, since what is wrong with one often slows the others.
#include <algorithm>
#include <cmath>

#include "trainer/comm/protocol/coordinator.h"
#include "trainer/points.h"

namespace carrack::train {
namespace {

using std::chrono::milliseconds;

// A worker computes a step for longer than this, and for longer than this many times the median of all steps. The first
// step of a process may have to fill caches.
constexpr milliseconds step_time_min = std::chrono::seconds(60);
constexpr milliseconds first_step_time_min = std::chrono::seconds(300);
constexpr int step_medians = 20;
// So that times can be multiplied whatever a worker says.
constexpr milliseconds time_max = std::chrono::hours(24 * 365);
// A worker opens no stream to a server for so long.
constexpr milliseconds unreached_time_max = std::chrono::seconds(15);
// The stream of a server to the coordinator has ended, and it opens no new one for so long.
constexpr milliseconds missing_time_max = std::chrono::seconds(60);
// Between two conclusions, and between the start of a coordinator and the first.
constexpr milliseconds conclude_every = std::chrono::seconds(60);
// Ticks come several times a second. If one comes so late, this process, or its machine, has stood still. A shorter
// standstill does no harm: with it and a second between two Alive, a worker is silent for less than silence_limit.
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
  // A worker that opens a new stream says again how long its last batch took.
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
  // A server that a worker reaches again need not be replaced.
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

// If this process has stood still, that nothing was heard meanwhile shows nothing: it may have been sent, and not be
// read yet. So that time does not count. After a long one, and at its start, it must hear of all again first.
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

// Of several that which keeps most others from training.
std::optional<Coordinator::Verdict> Coordinator::verdict() const {
  for (const auto& look : {&Coordinator::on_missing_server, &Coordinator::on_unreached_server,
                           &Coordinator::on_cut_off_worker, &Coordinator::on_hung_worker}) {
    if (std::optional<Verdict> found = (this->*look)()) return found;
  }
  return std::nullopt;
}

// The process may have ended, and the next one have joined no coordinator yet. Then its replacement has a higher
// incarnation, and nobody acts on this.
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

// Not counting the time before it came to this coordinator: a worker that was stopped for a while says that it has
// computed, or has been cut off, for as long.
milliseconds Coordinator::time_here(const Member& worker, std::uint64_t ms) const {
  return std::min(time_of(ms), std::chrono::duration_cast<milliseconds>(now_ - worker.joined));
}

// Whether the worker of which that was concluded has done a batch since, or reaches the server. A new process of the
// server is as good: the worker, which has no assignment, does not know of it.
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

// Longer than a step may take. Until it is done, its thread does not look at its streams, so what it says of servers is
// old.
bool Coordinator::computes_for_long(const Member& worker) const {
  if (!worker.alive || !computes(worker.alive->work())) return false;
  const wire::Work& work = worker.alive->work();
  const milliseconds least = work.batches() == 0 ? first_step_time_min : step_time_min;
  return time_here(worker, work.for_ms()) >= std::max(least, step_times_.median() * step_medians);
}

// What it says of the server's present process, or nullptr. A worker that has an assignment names all servers, in their
// order.
const wire::Link* Coordinator::link_to(const Member& worker, std::uint32_t server) const {
  if (!worker.alive || static_cast<int>(server) >= worker.alive->links_size() || !shards_.contains(server))
    return nullptr;
  if (computes_for_long(worker)) return nullptr;
  const wire::Link& link = worker.alive->links(static_cast<int>(server));
  const bool is_this_start = link.incarnation() == members_.at(shards_.at(server).peer).incarnation;
  return link.server() == server && is_this_start ? &link : nullptr;
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

// No worker reaches it, of those that can tell. If that is one worker, either side may be to blame: they are replaced
// in turn.
std::optional<Coordinator::Verdict> Coordinator::on_unreached_server() const {
  std::vector<PeerId> all = workers();
  std::erase_if(all, [&](PeerId peer) { return computes_for_long(members_.at(peer)); });
  for (const auto& [server, shard] : shards_) {
    const Place place{MemberRole::server, server};
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

Coordinator::Verdict Coordinator::cut_off(const Member& worker, std::uint32_t server, const std::string& before,
                                          const std::string& after) const {
  Verdict verdict{Place{MemberRole::worker, worker.index}, worker.incarnation,
                  before + " parameter server " + std::to_string(server) + after};
  wire::Server& unreached = verdict.unreached.emplace();
  unreached.set_index(server);
  unreached.set_incarnation(members_.at(shards_.at(server).peer).incarnation);
  return verdict;
}

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

// Whether the job cannot go on before this worker is done with what it computes. That may be of a timeline or an
// assignment before the present one; until it is done, the worker begins nothing else. A worker without lanes may still
// compute those that it had; others have them by now.
bool Coordinator::is_awaited(PeerId peer, const wire::Work& work) const {
  if (settings_.sync) {
    return members_.at(peer).has_lanes && (work.timeline() != timeline_ || work.batch() <= batches_done());
  }
  return std::ranges::any_of(leases_, [&](const auto& lease) { return lease.second == peer; });
}

// Whether another worker waits for this one: in Sync at a later version, in Async after a batch that it has done since
// this one was begun. That shows that this one need not take so long. One that has nothing to do could do this one
// instead. But in Sync what workers compute is lost when lanes are divided anew: as long as nobody knows how long a
// batch takes, all may be slow, and would begin their first batch again and again.
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

// Of several the one that has taken longest. If all hang, nothing is concluded: spec.run.progressDeadlineSeconds is for
// that.
std::optional<Coordinator::Verdict> Coordinator::on_hung_worker() const {
  if (!running_) return std::nullopt;
  std::optional<Verdict> found;
  milliseconds longest{0};
  for (const PeerId peer : workers()) {
    const Member& member = members_.at(peer);
    if (!computes_for_long(member)) continue;
    const wire::Work& work = member.alive->work();
    const milliseconds time = time_here(member, work.for_ms());
    if (time <= longest || !is_awaited(peer, work) || !others_are_done(peer, work)) continue;
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
