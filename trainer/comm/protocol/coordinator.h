// The coordinator of a parameter-server job, as a pure state machine: events in, commands out, without clock or I/O.
// It admits members, decides from which state training goes on, hands out work, orders cuts and says when to commit.
// Only commits are durable: a new coordinator learns all else from its members. Not thread-safe.
//
// docs/design/parameter-server.md describes the protocol, docs/formats/wire.md the messages.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "trainer/comm/protocol/hung.h"
#include "trainer/comm/protocol/instant.h"
#include "trainer/comm/protocol/message.pb.h"
#include "trainer/comm/protocol/order.h"
#include "trainer/comm/protocol/peer_id.h"
#include "trainer/comm/protocol/runs.h"
#include "trainer/comm/protocol/skipped.h"
#include "trainer/comm/protocol/staleness.h"
#include "trainer/comm/protocol/step_times.h"
#include "trainer/comm/protocol/wire_runs.h"

namespace carrack::train {

struct CoordinatorSettings {
  std::string job_uid;
  std::uint32_t attempt = 0;
  std::uint32_t incarnation = 0;
  std::uint64_t attempts_before = 0;  // of earlier jobs, from which the attempt in the names of cuts counts on
  std::uint32_t servers = 1;
  std::uint32_t workers_max = 1;
  std::uint32_t lanes = 8;
  // Sync: into how many lanes a batch is cut for workers that send one sum over all of theirs. 0: into `lanes`, for a
  // sum over each subtree, so that the result does not depend on the number of workers.
  std::uint32_t lanes_dealt = 0;
  bool sync = true;
  // Async: no batch is granted that is further than this behind the first one that is not done. nullopt: any is.
  std::optional<std::uint64_t> batches_ahead_max = {};
  bool clips_by_norm = false;                      // Sync: servers report the norm of each step
  std::optional<std::uint64_t> total_batches = 1;  // nullopt: not known yet
  // A regular cut is due at each multiple of `batches_per_cut`, and `time_per_cut` after the last cut; after a restart
  // the first one is due within a minute. Without either there is only the one at the end of the job.
  std::optional<std::uint64_t> batches_per_cut = {};
  std::optional<std::chrono::milliseconds> time_per_cut = {};
  // Regular cuts are at least this far apart: a multiple that comes sooner is left out. So are commits, except for the
  // last one and that of an idle job.
  std::chrono::milliseconds cut_interval_min{1000};
  Order order;  // if a member has another order, the job fails
  // A worker that has sent nothing for this long is lost; a job without workers for this long is idle.
  std::chrono::milliseconds silence_limit{5000};
  std::string initial_weights = {};  // the version of the file that training begins with; empty if there is none
};

// The last commit as its manifest has it; `manifest` is empty before the first.
struct Commit {
  std::string manifest;
  std::uint32_t manifest_crc32c = 0;
  std::uint64_t version = 0;
  std::vector<BatchRun> applied;
  bool resumed = false;  // the commit is another job's, from which this one starts
  Skipped skipped = {};  // by the steps before it
  bool operator==(const Commit&) const = default;
};

// Of all steps that were reported to this coordinator. In Sync each server reports each step, so only the quotient has
// a meaning.
struct LossTotals {
  double sum = 0;
  std::uint64_t records = 0;
};

// A cut that every server has saved.
struct FinishedCut {
  std::uint64_t number = 0;
  std::string prefix;
  std::uint64_t version = 0;
  std::vector<BatchRun> applied;
  std::vector<wire::Saved> shards;  // by server
};

struct SendTo {
  PeerId peer = 0;
  wire::Message message;
};
struct Disconnect {
  PeerId peer = 0;
};
// Write manifest and HEAD, then call committed().
struct WriteCommit {
  FinishedCut cut;
};
// The job is done.
struct EndProcess {};
using Command = std::variant<SendTo, Disconnect, WriteCommit, EndProcess>;
using Commands = std::vector<Command>;

class Coordinator {
 public:
  Coordinator(CoordinatorSettings settings, Commit last)
      : settings_(std::move(settings)), committed_(std::move(last)) {}

  // Throws Error, with Blame::user, if the job must fail: a member has other data, or training has diverged.
  Commands received(PeerId from, const wire::Message& message, Instant now);
  Commands closed(PeerId peer);
  // The WriteCommit of this cut is done: HEAD names the commit.
  Commands committed(std::uint64_t number, const Commit& commit);
  // To be called several times a second.
  Commands tick(Instant now);
  // How many batches the job has, once that is known. No batch behind the last one was computed before.
  Commands total_known(std::uint64_t batches);
  // Training is to end as soon as it can: the batches up to the limit that the servers know are still computed, and the
  // job ends with a commit of them.
  Commands stop_early();

  // True while all servers hold a state to train from; else batches_done() is that of the last commit.
  bool is_training() const { return running_; }
  // What /progress shows.
  std::uint64_t batches_done() const;
  const std::optional<std::uint64_t>& total_batches() const { return settings_.total_batches; }
  // The last commit of this job itself; one that it resumed from does not count.
  Commit last_commit() const { return committed_.resumed ? Commit{} : committed_; }
  // Per record, of the last batch of which any record was used.
  double last_loss() const { return last_loss_; }
  const LossTotals& loss_totals() const { return loss_totals_; }
  // The share of their time in which the workers wait for records, as the mean over those that have said it; nullopt if
  // none has.
  std::optional<double> input_wait() const;
  // Async: of the batches that workers have finished with this coordinator.
  const Staleness& staleness() const { return staleness_; }
  // The members that are to be replaced, because they are stuck or cannot be reached. A worker of them is refused
  // until its process is a new one or goes on; a parameter server has its place as before.
  std::vector<Hung> hung() const;
  // True if no worker is here, and everything that is done is committed or cannot be committed before one comes.
  bool drained() const;
  // True if no worker is here, and what they have done is still to be committed.
  bool is_draining() const;

 private:
  enum class MemberRole { server, worker };
  using Place = std::pair<MemberRole, std::uint32_t>;  // role and index

  struct Member {
    MemberRole role = MemberRole::worker;
    std::uint32_t index = 0;
    std::uint32_t incarnation = 0;
    std::string address;
    std::size_t leases_max = 0;  // Async: of a worker
    bool has_lanes = false;      // Sync, of a worker: in the last assignment
    std::uint32_t protocol = 0;  // as in Hello
    Instant joined;
    Instant last_heard;
    std::optional<wire::Alive> alive = {};      // of a worker: the last one
    std::optional<Instant> finished_last = {};  // Async, of a worker: when it last finished a batch
  };
  // What a server that is here holds, as far as it has said.
  struct Shard {
    PeerId peer = 0;
    std::uint64_t timeline = 0;  // 0: it holds nothing
    std::uint64_t version = 0;
    std::uint64_t limit = 0;
    Runs applied;
    bool loading = false;
  };
  struct OpenCut {
    std::uint64_t number = 0;
    std::uint64_t version = 0;
    std::string prefix;
    Instant ordered;
    bool idle = false;                           // ordered between the regular cuts, because the job is idle
    Runs applied;                                // Async: the batches that every server must save
    std::map<std::uint32_t, Runs> snapshots;     // Async: by server, the batches that it saves
    std::map<std::uint32_t, wire::Saved> saved;  // by server
  };

  // A server whose stream has ended.
  struct Gone {
    std::uint32_t incarnation = 0;
    Instant since;
  };
  // The batches of a worker's process whose times are in step_times_.
  struct CountedBatches {
    std::uint32_t incarnation = 0;
    std::uint64_t batches = 0;
  };
  struct Refusal {
    std::string reason;
    bool superseded = false;
  };
  struct Verdict {
    Place place;
    std::uint32_t incarnation = 0;
    std::string why;
    std::uint64_t batches = 0;                   // of a worker that hangs: Work.batches
    std::optional<wire::Server> unreached = {};  // of a worker that does not reach it
  };

  static std::optional<MemberRole> member_role_from(wire::Role role);
  void received_from_server(const Member& member, const wire::Message& message);
  void received_from_worker(PeerId peer, const wire::Message& message);

  void admit(PeerId peer, const wire::Hello& hello, Instant now);
  // nullopt if the member may join.
  std::optional<Refusal> refusal_of(const wire::Hello& hello) const;
  static Shard shard_from(PeerId peer, const wire::Held& held, Runs applied);
  std::uint32_t members_of(MemberRole role) const;
  void require_same_data(const wire::Hello& hello, MemberRole role) const;
  // Applied batches as a server reports them; nullopt if the coordinator must not use them.
  std::optional<Runs> applied_from(const WireRuns& runs) const;
  void refuse(PeerId peer, const std::string& reason, bool superseded);
  void remove_member(PeerId peer);

  void start_or_load();
  void load_last_commit();
  void start_training();
  Instant time_to_count_from() const;
  void end();
  void send_end(PeerId peer);
  void loaded(const Member& member, const wire::Loaded& message);

  void assign();
  void grant();
  std::optional<std::uint64_t> next_to_grant(std::uint64_t from) const;
  void finished(PeerId peer, const wire::Finished& message);
  void applied(const Member& member, const wire::Applied& message);
  void record_loss(double sum, std::uint64_t records, std::uint64_t step);

  void go_on();
  bool is_limit_near() const;
  bool is_cut_due() const;
  bool can_cut() const;
  bool can_raise_limit() const;
  void raise_limit();
  void send_limit(bool norms);
  void add_norm(const Member& member, const wire::Norm& message);
  bool servers_know_limits() const;
  bool all_know_dealt_lanes() const;
  OpenCut& open_cut(std::uint64_t version);
  OpenCut* find_cut(std::uint64_t timeline, std::uint64_t number);
  std::uint64_t newest_cut_version() const;
  std::optional<Instant> newest_cut_time() const;
  void order(const OpenCut& cut);
  void saved(const Member& member, const wire::Saved& message);
  void commit_if_complete();

  Runs applied_everywhere() const;
  void count_what_servers_hold();
  void snapshotted(const Member& member, const wire::Snapshotted& message);
  void add_snapshot(OpenCut& cut, std::uint32_t server, Runs applied);
  bool agree(const OpenCut& cut) const;
  bool all_snapshots_agree() const;
  void adopt_snapshots(OpenCut cut);

  void alive(Member& member, const wire::Alive& message);
  void note_standstill();
  void conclude_if_due();
  std::optional<Verdict> verdict() const;
  std::optional<Verdict> on_unreached_server() const;
  Verdict cut_off(const Member& worker, std::uint32_t server, const std::string& before,
                  const std::string& after) const;
  std::optional<Verdict> on_cut_off_worker() const;
  std::optional<Verdict> on_missing_server() const;
  std::optional<Verdict> on_hung_worker() const;
  bool is_awaited(PeerId peer, const wire::Work& work) const;
  bool others_are_done(PeerId peer, const wire::Work& work) const;
  std::chrono::milliseconds time_here(const Member& worker, std::uint64_t ms) const;
  bool goes_on(const Verdict& verdict, const wire::Alive& alive) const;
  bool computes_for_long(const Member& worker) const;
  const wire::Link* link_to(const Member& worker, std::uint32_t server) const;
  bool is_reached_by(const Member& worker, std::uint32_t server) const;
  std::optional<std::uint32_t> worker_that_reaches(std::uint32_t server) const;

  void leaving(PeerId peer, const wire::Leaving& message);
  void enter_idle();
  void leave_idle();
  void order_idle_cut();
  void drop_idle_cuts(std::optional<std::uint64_t> except_version);
  bool servers_agree() const;

  std::uint64_t new_timeline() { return (std::uint64_t{settings_.incarnation} << 32) | ++timeline_count_; }
  bool all_servers_here() const;
  bool all_committed() const { return !committed_.manifest.empty() && committed_.version == settings_.total_batches; }
  // The largest number while the total is not known: the job then goes on without end.
  std::uint64_t end_of_job() const { return settings_.total_batches ? *settings_.total_batches : ~std::uint64_t{0}; }
  std::vector<PeerId> workers() const;
  void send(PeerId peer, wire::Message message) { commands_.push_back(SendTo{peer, std::move(message)}); }
  Commands take_commands() { return std::exchange(commands_, {}); }

  CoordinatorSettings settings_;
  Commit committed_;
  Commands commands_;

  std::map<PeerId, Member> members_;
  std::map<Place, std::uint32_t> newest_;  // the highest incarnation seen
  std::map<std::uint32_t, Shard> shards_;  // by server; only servers that are here

  Instant now_;  // of the last event that came with a time

  std::map<Place, Verdict> hung_;             // until a new process has the place, or it goes on
  std::map<std::uint32_t, Gone> gone_;        // by server
  std::set<std::uint32_t> unreached_before_;  // servers that were taken for hung as no worker reached them
  StepTimes step_times_;
  std::map<std::uint32_t, CountedBatches> counted_batches_;  // by worker
  Instant conclude_from_;                                    // nothing is concluded before
  std::optional<Instant> ticked_;                            // the last tick

  std::uint64_t timeline_ = 0;
  std::uint64_t timeline_count_ = 0;
  std::uint64_t assignment_count_ = 0;
  bool running_ = false;     // all servers hold a state to train from
  bool committing_ = false;  // a WriteCommit is under way
  bool ended_ = false;
  bool idle_ = false;                   // no worker is here, and none is waited for
  bool servers_disagree_ = false;       // while idle: the servers hold different states
  std::optional<Instant> last_worked_;  // when a worker was last here, or a server reported a step
  double last_loss_ = 0;
  LossTotals loss_totals_;

  // Sync: no server applies a step behind this version. Async: no batch from this number on is granted. It only grows
  // within a timeline. A regular cut is ordered at the limit, before it is raised: no server can have passed it.
  std::uint64_t limit_ = 0;
  // Sync, if gradients are clipped by norm: by version, what servers have reported of the step from it, by server.
  std::map<std::uint64_t, std::map<std::uint32_t, std::vector<double>>> norms_;
  std::uint64_t lead_ = 2;  // batches by which the limit is raised: about a second's
  Instant limit_raised_;    // the last time

  std::uint64_t cut_count_ = 0;
  std::map<std::uint64_t, OpenCut> open_cuts_;  // by version
  std::optional<Instant> last_cut_;             // when the last committed cut was ordered, or training began
  std::optional<Instant> last_commit_;

  Runs done_;                               // Async: batches that every server has applied
  std::map<std::uint64_t, PeerId> leases_;  // Async: batch to the worker that computes it
  Staleness staleness_;
};

}  // namespace carrack::train
