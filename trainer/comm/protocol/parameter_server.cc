#include "trainer/comm/protocol/parameter_server.h"

#include <algorithm>

#include "dataloader/check.h"
#include "trainer/comm/protocol/wire_runs.h"
#include "trainer/error.h"
#include "trainer/optimizer/gradient_norm.h"
#include "trainer/points.h"

namespace carrack::train {
namespace {

// A worker that sends this as Want.version requests the newest parameters.
constexpr std::uint64_t newest_version = ~std::uint64_t{0};

// The error if an index was removed from the checkpoint folder while the job runs. Workers see from the indexes when
// the first pass (the epoch before the data is indexed) is over. If an index is missing, they mistake a later step for
// a step of the first pass.
Error removed_index(std::uint64_t version, const std::string& symptom) {
  return Error(Blame::user, "spec.checkpoint.folder: an index in indexes/ was removed while the job needed it: step " +
                                std::to_string(version + 1) + " " + symptom +
                                "; begin another job in a folder of its own");
}

Subtree subtree_of(const wire::Push& message) {
  return {static_cast<int>(message.first_lane()), static_cast<int>(message.lane_count())};
}

LaneRun run_of(const wire::Push& message) {
  return {message.assignment(), message.lanes(), message.first_lane(), message.first_lane() + message.lane_count()};
}

LaneCounts counts_of(const wire::Push& message) {
  return {message.records(), message.loss(), skipped_from(message.skipped())};
}

}  // namespace

wire::Held ParameterServer::held() const {
  wire::Held held;
  held.set_timeline(timeline_);
  held.set_version(state_.version);
  held.set_limit(limit_);
  *held.mutable_applied() = wire_from(state_.applied.list());
  held.set_data(legacy_order_);
  held.set_order(order_);
  return held;
}

ParameterServer::Commands ParameterServer::received(PeerId from, FramePart part) {
  const wire::Message& message = *part.message;
  if (from == coordinator_) {
    if (message.has_load()) load(message.load());
    if (message.has_limit()) raise_limit(message.limit());
    if (message.has_cut()) cut(message.cut());
    if (message.has_norm_total()) norm_total(message.norm_total());
  } else if (message.has_hello()) {
    admit(from, message.hello());
  } else if (workers_.contains(from)) {
    if (message.has_want() && is_current(message.want().timeline())) {
      want(from, message.want().version(), message.want().id());
    }
    if (message.has_push()) push(from, message.push(), std::move(part.piece));
  }
  return take_commands();
}

void ParameterServer::coordinator_is(PeerId peer) {
  const CrashPoint point("ps.coordinator_is");
  coordinator_ = peer;
  loading_ = 0;
}

ParameterServer::Commands ParameterServer::closed(PeerId peer) {
  const CrashPoint point("ps.closed");
  workers_.erase(peer);
  tails_.erase(peer);
  std::erase_if(waiting_, [&](const Waiting& one) { return one.worker == peer; });
  if (peer == coordinator_) coordinator_ = 0;
  return take_commands();
}

void ParameterServer::admit(PeerId peer, const wire::Hello& hello) {
  if (workers_.contains(peer)) return refuse(peer, "a stream carries one Hello", false);
  if (hello.job_uid() != settings_.job_uid) return refuse(peer, "this is a parameter server of another job", true);
  if (hello.attempt() != settings_.attempt) {
    return refuse(peer, "this parameter server is of another attempt", hello.attempt() < settings_.attempt);
  }
  if (hello.role() != wire::WORKER) return refuse(peer, "only workers join a parameter server", true);
  if (!is_sync() && clips_by_norm(settings_.training) && hello.protocol() < protocol_of_norms) {
    return refuse(peer, std::string(refusal_without_norms), true);
  }
  if (hello.index() >= settings_.workers_max) return refuse(peer, "this job has no such worker", true);
  if (hello.to().index() != settings_.index || hello.to().incarnation() != settings_.incarnation) {
    return refuse(peer, "another parameter server was at this address before", false);
  }
  const auto newest = newest_.find(hello.index());
  if (newest != newest_.end() && hello.incarnation() < newest->second)
    return refuse(peer, "a newer incarnation has taken this place", true);
  const CrashPoint point("ps.admit");
  newest_[hello.index()] = hello.incarnation();
  workers_[peer] = hello.index();
}

void ParameterServer::refuse(PeerId peer, const std::string& reason, bool superseded) {
  wire::Message message;
  message.mutable_refused()->set_reason(reason);
  message.mutable_refused()->set_superseded(superseded);
  send(peer, std::move(message));
  commands_.push_back(Disconnect{peer});
}

void ParameterServer::load(const wire::Load& message) {
  const CrashPoint point("ps.load");
  loading_ = message.timeline();
  loading_order_ = message.order();
  loading_legacy_order_ = message.order().empty() ? message.data() : "";
  commands_.push_back(BeginLoad{message});
}

ParameterServer::Commands ParameterServer::loaded(std::uint64_t timeline, ShardState state) {
  CHECK(state.parameters);
  if (timeline != loading_) return take_commands();  // this load was replaced by another, or dropped
  const CrashPoint point("ps.loaded");
  timeline_ = timeline;
  loading_ = 0;
  order_ = loading_order_;
  legacy_order_ = loading_legacy_order_;
  state_ = std::move(state);
  previous_.reset();
  limit_ = 0;
  tree_.clear();
  sum_ = ArrivalSum();
  first_pass_.reset();
  ready_.reset();
  norms_.clear();
  total_.reset();
  waiting_.clear();
  ordered_.clear();
  snapshots_.clear();
  saves_.clear();
  wire::Message message;
  wire::Loaded& result = *message.mutable_loaded();
  result.set_timeline(timeline_);
  result.set_version(state_.version);
  *result.mutable_applied() = held().applied();
  if (coordinator_ != 0) send(coordinator_, std::move(message));
  return take_commands();
}

// True if messages of this timeline count. In Sync only the server's own timeline (history of updates) does. In Async
// servers that loaded a commit at different times are in different timelines, so messages of all timelines count.
bool ParameterServer::is_current(std::uint64_t timeline) const {
  return timeline_ != 0 && (!is_sync() || timeline == timeline_);
}

void ParameterServer::want(PeerId peer, std::uint64_t wanted, std::uint64_t id) {
  if (!is_sync()) return serve(peer, id, state_.version, state_.parameters);
  const CrashPoint point("ps.want");
  // If a complete step waits only for the limit, workers have nothing to compute until the step is applied. So a worker
  // that wants the newest version gets the next one, once that exists. If the step still waits for the norm of all
  // servers, another server may lack parts of the step, and workers need the current version to compute them.
  const bool wait = wanted == newest_version && ready_ && !waits_for_norm();
  const std::uint64_t version = wait ? state_.version + 1 : wanted;
  std::erase_if(waiting_, [&](const Waiting& one) { return one.worker == peer; });  // only its last Want counts
  if (version > state_.version && version != newest_version) {
    waiting_.push_back({peer, version, id});
  } else if (version + 1 == state_.version && previous_) {
    serve(peer, id, version, previous_);
  } else {
    serve(peer, id, state_.version, state_.parameters);
  }
}

void ParameterServer::serve(PeerId worker, std::uint64_t want, std::uint64_t version, const SharedFloats& values) {
  CHECK(values);
  wire::Message message;
  message.mutable_parameters()->set_timeline(timeline_);
  message.mutable_parameters()->set_version(version);
  message.mutable_parameters()->set_id(want);
  send(worker, std::move(message), Tail{values, *values});
}

void ParameterServer::serve_waiting() {
  std::vector<Waiting> due;
  std::erase_if(waiting_, [&](const Waiting& one) {
    if (one.version > state_.version) return false;
    due.push_back(one);
    return true;
  });
  for (const Waiting& one : due) serve(one.worker, one.id, state_.version, state_.parameters);
}

void ParameterServer::push(PeerId peer, const wire::Push& message, Piece piece) {
  if (timeline_ == 0) return;
  if (piece.total() != state_.parameters->size()) return refuse(peer, "a push is not of this server's range", false);
  if (is_sync() && !names_lanes(message)) {
    return refuse(peer, "a push is of lanes that a batch does not have", false);
  }
  if (message.batch() >= batch_end_max) return refuse(peer, "a push is of a batch that no job has", false);
  const bool is_last = piece.is_last();
  if (!is_sync()) {
    std::optional<Tail> sum = tails_[peer].add(std::move(piece));
    if (sum) apply_batch(peer, message, {std::move(*sum).take(), counts_of(message)});
  } else if (!add_part(peer, message, std::move(piece))) {
    return refuse(peer, "a push lacks values before others", false);
  }
  if (!is_last || message.want() == 0 || !is_current(message.timeline())) return;
  want(peer, is_sync() ? message.batch() + 1 : newest_version, message.want());
}

void ParameterServer::apply_batch(PeerId peer, const wire::Push& message, LaneSum sum) {
  wire::Message answer;
  if (!state_.applied.contains(message.batch())) {
    const CrashPoint point("ps.apply_batch");
    // The version in the push may be higher, because this server may have loaded an older state since.
    answer.mutable_applied()->set_staleness(state_.version - std::min(state_.version, message.version()));
    apply(std::move(sum), message.squares());
    state_.applied.add(message.batch());
  }
  answer.mutable_applied()->set_timeline(message.timeline());
  answer.mutable_applied()->set_batch(message.batch());
  send(peer, std::move(answer));
}

bool ParameterServer::names_lanes(const wire::Push& message) const {
  return message.lanes() != 0 ? ArrivalSum::is_valid(run_of(message)) : tree_.fits(subtree_of(message));
}

// Adds a piece to the next step: immediately to sum_, or to tree_ once its push is complete. Returns false if values of
// the push before this piece are missing.
bool ParameterServer::add_part(PeerId peer, const wire::Push& message, Piece piece) {
  // A push for another version comes too late: another worker sent these lanes, and the step was applied.
  if (message.timeline() != timeline_ || message.batch() != state_.version || ready_) {
    tails_.erase(peer);  // the rest of this push is not used either
    return true;
  }
  const CrashPoint point("ps.add_part");
  require_one_order(message);
  if (message.lanes() != 0) {
    if (!sum_.add(run_of(message), counts_of(message), std::move(piece))) return false;
    ready_ = sum_.take_total();
  } else if (std::optional<Tail> sum = tails_[peer].add(std::move(piece))) {
    tree_.add(subtree_of(message), {std::move(*sum).take(), counts_of(message)});
    ready_ = tree_.take_total();
  }
  CHECK(first_pass_);
  const bool is_empty = ready_ && ready_->counts.records + ready_->counts.skipped.records == 0;
  if (is_empty && *first_pass_) throw removed_index(state_.version, "holds no record");
  if (ready_ && clips_by_norm(settings_.training)) report_norm();
  advance();
  return true;
}

// Throws if the parts of a step come from two orders of the records, that of the first pass and that of indexed data.
void ParameterServer::require_one_order(const wire::Push& message) {
  if (first_pass_ && *first_pass_ != message.first_pass()) {
    throw removed_index(state_.version, "is of two orders");
  }
  first_pass_ = message.first_pass();
}

// Sync: applies the next step if it is complete, unless the server has reached its limit or waits for the norm.
void ParameterServer::advance() {
  if (!ready_ || state_.version >= limit_ || waits_for_norm()) return;
  const CrashPoint point("ps.advance");
  wire::Message message;
  message.mutable_applied()->set_loss(ready_->counts.loss);
  message.mutable_applied()->set_records(ready_->counts.records);
  apply(*std::exchange(ready_, std::nullopt), std::exchange(total_, std::nullopt));
  tree_.clear();
  sum_.clear();
  CHECK_LE(state_.version, limit_);
  first_pass_.reset();
  message.mutable_applied()->set_timeline(timeline_);
  message.mutable_applied()->set_batch(state_.version);
  save_if_due();
  serve_waiting();
  if (coordinator_ != 0) send(coordinator_, std::move(message));
}

// `squares` is the sum of the squares of the gradient over all servers. It is used only if gradients are clipped by
// norm.
void ParameterServer::apply(LaneSum total, std::optional<double> squares) {
  CHECK_EQ(total.sum.size(), state_.parameters->size());
  // Keeps the old optimizer state alive until train::apply() has read it. The loop may replace it in state_, and a save
  // that shares it may end at any time.
  const std::vector<std::shared_ptr<Floats>> before_update = state_.optimizer;
  std::vector<OptimizerState> optimizer;
  for (std::shared_ptr<Floats>& values : state_.optimizer) {
    const std::span<const float> before = *values;
    // If only state_ and before_update share the values, they are updated in place. Otherwise a save still reads them.
    constexpr long of_this_server = 2;
    if (values.use_count() > of_this_server) values = std::make_shared<Floats>(before.size());
    optimizer.push_back({before, *values});
  }
  const double scale = clips_by_norm(settings_.training) ? norm_scale(settings_.training, squares.value()) : 1;
  train::apply(settings_.training, settings_.parts, total.counts.records,
               Update{.parameters = *state_.parameters,
                      .gradient_sum = total.sum,
                      .gradient = {.scale = static_cast<float>(scale)},
                      .step = static_cast<std::int64_t>(state_.version) + 1,
                      .state = std::move(optimizer),
                      .updated = total.sum,
                      .threads = settings_.threads});
  SharedFloats before = std::exchange(state_.parameters, std::make_shared<const Floats>(std::move(total.sum)));
  if (is_sync()) previous_ = std::move(before);
  add_to(state_.skipped, total.counts.skipped);
  ++state_.version;
}

void ParameterServer::raise_limit(const wire::Limit& message) {
  if (message.timeline() != timeline_) return;
  const CrashPoint point("ps.raise_limit");
  limit_ = std::max(limit_, message.version());
  if (message.norms()) send_norms();
  advance();
}

void ParameterServer::send(PeerId peer, wire::Message message, Tail tail) {
  commands_.push_back(Send{peer, std::move(message), std::move(tail)});
}

}  // namespace carrack::train
