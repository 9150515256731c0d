// Coordinator is the logic of the coordinator process of a parameter-server job, without clock or I/O. CoordinatorRole
// (trainer/loop/roles/coordinator_role.cc) passes in what happens, such as a message or a broken stream, and carries
// out the Commands that each call returns, such as sending a message. It admits members (parameter servers and
// workers), decides from which state training continues, assigns work to workers, orders checkpoints, and finds members
// that hang. Only commits are durable: a new coordinator learns everything else from its members. Not thread-safe.
//
// The words of the protocol: A version is the number of updates that a server has applied. In Sync all workers compute
// parts of the same batch, the lanes, and each batch is one version. In Async each worker computes whole batches that
// it is granted (leases). A cut is the order to all servers to save the same version; a commit is a saved cut that HEAD
// names. A timeline is a history of updates that all servers share; a new one begins when they have to load or to agree
// again, and messages of older ones are ignored.
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
  std::uint32_t attempt = 0;          // number of restarts of the job
  std::uint32_t incarnation = 0;      // number of starts of the coordinator within the attempt
  std::uint64_t attempts_before = 0;  // attempts of earlier jobs in the folder; added to `attempt` in the names of cuts
  std::uint32_t servers = 1;          // number of parameter servers; training needs all of them
  std::uint32_t workers_max = 1;      // workers with this index or a higher one are refused
  std::uint32_t lanes = 8;
  // Sync: the number of lanes into which a batch is cut for workers that send one sum over all of their lanes. 0: a
  // batch is cut into `lanes`, and workers send a sum over each subtree, so that the result does not depend on the
  // number of workers.
  std::uint32_t lanes_dealt = 0;
  bool sync = true;  // Sync or Async (spec.training.consistency)
  // Async: a batch is granted only if its number exceeds that of the first unfinished batch by at most this number.
  // nullopt: no such limit.
  std::optional<std::uint64_t> batches_ahead_max = {};
  bool clips_by_norm = false;                      // Sync: servers report the norm of each step
  std::optional<std::uint64_t> total_batches = 1;  // nullopt: not known yet
  // A regular cut is due at each multiple of `batches_per_cut`, and `time_per_cut` after the last cut. After a restart
  // the first cut by time is due within a minute. If both are nullopt, the only regular cut is at the end.
  std::optional<std::uint64_t> batches_per_cut = {};
  std::optional<std::chrono::milliseconds> time_per_cut = {};
  // The minimum time between two regular cuts, and between two commits. A multiple of `batches_per_cut` that is reached
  // sooner gets no cut. The last commit, and commits of an idle job, do not wait.
  std::chrono::milliseconds cut_interval_min{1000};
  Order order;  // received() throws if a member has another order
  // A worker that has sent nothing for this long is disconnected, and its work goes to others. A job that has had no
  // connected worker for this long, or whose workers have all left, is idle: it gets an extra cut.
  std::chrono::milliseconds silence_limit{5000};
  std::string initial_weights = {};  // version of the weights file from which training starts; empty: no such file
};

// The last commit, as its manifest describes it. `manifest` is empty before the first commit.
struct Commit {
  std::string manifest;
  std::uint32_t manifest_crc32c = 0;
  std::uint64_t version = 0;      // number of updates that it includes
  std::vector<BatchRun> applied;  // Async: the batches of these updates
  bool resumed = false;           // the commit belongs to another job, from which this job starts
  Skipped skipped = {};           // records left out in the steps before this commit
  bool operator==(const Commit&) const = default;
};

// Totals over all steps that were reported to this coordinator. In Sync every server reports every step, so the totals
// count a step several times, and only sum / records has a meaning.
struct LossTotals {
  double sum = 0;
  std::uint64_t records = 0;
};

// A cut that all servers have saved, so that it can be committed.
struct FinishedCut {
  std::uint64_t number = 0;
  std::string prefix;  // begins the names of the files of the cut
  std::uint64_t version = 0;
  std::vector<BatchRun> applied;    // Async
  std::vector<wire::Saved> shards;  // by server
};

// The commands.

// Send this message to the peer.
struct SendTo {
  PeerId peer = 0;
  wire::Message message;
};
// End this stream once the messages of earlier commands are sent.
struct Disconnect {
  PeerId peer = 0;
};
// Write the manifest and HEAD for this cut, then call committed(). No other WriteCommit is returned before that.
struct WriteCommit {
  FinishedCut cut;
};
// The job is done, and the commands before this one send End to all members.
struct EndProcess {};
using Command = std::variant<SendTo, Disconnect, WriteCommit, EndProcess>;
using Commands = std::vector<Command>;

// The caller must call the function for each event, one at a time, and carry out the Commands that it returns, in their
// order. Times must come from one steady clock. There is no function for a new stream: its first message, Hello, admits
// the member.
class Coordinator {
 public:
  // `last` is the commit from which training continues; a default Commit if there is none.
  Coordinator(CoordinatorSettings settings, Commit last)
      : settings_(std::move(settings)), committed_(std::move(last)) {}

  // A message has arrived from a peer. Ignores messages of peers that were not admitted, except their Hello. Throws
  // Error with Blame::user if the job must fail, because a member has other data or the loss is not finite.
  Commands received(PeerId from, const wire::Message& message, Instant now);
  // The stream of a peer has ended, no matter which side ended it. Ignores unknown peers.
  Commands closed(PeerId peer);
  // Call this when the WriteCommit of cut `number` is done, so that HEAD names `commit`.
  Commands committed(std::uint64_t number, const Commit& commit);
  // Time has passed: call it several times a second. Disconnects silent workers, finds hung members, and orders cuts
  // that are due by time.
  Commands tick(Instant now);
  // For a job whose CoordinatorSettings::total_batches is nullopt, because its data is not indexed yet: sets the number
  // of batches, once it is known. No effect if it is known already. No batch from number `batches` on may have been
  // computed.
  Commands total_known(std::uint64_t batches);
  // Ends training with success as soon as possible, as for spec.training.patience: the few batches up to the limit that
  // the servers have now are still computed, and the job ends with a commit of them.
  Commands stop_early();

  // True while all servers are connected and hold a state to train from.
  bool is_training() const { return running_; }
  // Sync: the lowest version of the servers, or the version of the last commit while a server is missing. Async: the
  // number of batches that all servers have applied, as far as this coordinator has counted them.
  std::uint64_t batches_done() const;
  // The number of batches of the job; nullopt if it is not known yet.
  const std::optional<std::uint64_t>& total_batches() const { return settings_.total_batches; }
  // The last commit of this job; a default Commit if there is none. The commit from which the job resumed does not
  // count.
  Commit last_commit() const { return committed_.resumed ? Commit{} : committed_; }
  // The mean loss per record of the last reported batch that used any record; 0 before the first.
  double last_loss() const { return last_loss_; }
  const LossTotals& loss_totals() const { return loss_totals_; }
  // The share of time in which workers wait for records, from 0 to 1: the mean over the connected workers that have
  // reported it, or nullopt if none has.
  std::optional<double> input_wait() const;
  // Async: for each worker, the staleness of the batches that it has finished with this coordinator: how many updates
  // came between the parameters that it used and its gradient.
  const Staleness& staleness() const { return staleness_; }
  // Members to replace, because they are stuck or cannot be reached; the progress report has them, and the operator
  // replaces their processes. Such a worker is refused until its process is replaced or makes progress. Such a
  // parameter server is not refused.
  std::vector<Hung> hung() const;
  // True if no worker is connected and no commit is left to do, so the job can be suspended without loss: either
  // everything is committed, or the servers have different versions, which only a worker can make equal. False while
  // !is_training().
  bool drained() const;
  // True if no worker is connected and a commit of what the workers have done is still to come, so the coordinator must
  // not end yet. False while !is_training().
  bool is_draining() const;

 private:
  enum class MemberRole { server, worker };
  using Place = std::pair<MemberRole, std::uint32_t>;  // role and index

  struct Member {
    MemberRole role = MemberRole::worker;
    std::uint32_t index = 0;
    std::uint32_t incarnation = 0;
    std::string address;
    std::size_t leases_max = 0;  // Async: the maximum number of leases of this worker
    bool has_lanes = false;      // Sync, of a worker: the last assignment gave it lanes
    std::uint32_t protocol = 0;  // Hello.protocol
    Instant joined;
    Instant last_heard;
    std::optional<wire::Alive> alive = {};      // the worker's last Alive
    std::optional<Instant> finished_last = {};  // Async: when the worker last finished a batch
  };
  // What a connected server holds, according to its last reports.
  struct Shard {
    PeerId peer = 0;
    std::uint64_t timeline = 0;  // 0: it holds no state
    std::uint64_t version = 0;
    std::uint64_t limit = 0;  // Sync: it applies no step beyond this version
    BatchSet applied;         // Async
    bool loading = false;
  };
  struct OpenCut {
    std::uint64_t number = 0;
    std::uint64_t version = 0;
    std::string prefix;
    Instant ordered;
    bool idle = false;                            // ordered between the regular cuts, because the job is idle
    BatchSet applied;                             // Async: the batches that every server must save
    std::map<std::uint32_t, BatchSet> snapshots;  // Async: the batches that each server saves, by server
    std::map<std::uint32_t, wire::Saved> saved;   // by server
  };

  // A server whose stream has ended.
  struct Gone {
    std::uint32_t incarnation = 0;
    Instant since;
  };
  // How many of the batches that a process of a worker has done are in step_times_.
  struct CountedBatches {
    std::uint32_t incarnation = 0;
    std::uint64_t batches = 0;
  };
  struct Refusal {
    std::string reason;
    bool superseded = false;  // sent as Refused.superseded
  };
  struct Verdict {  // The conclusion that a member is hung.
    Place place;
    std::uint32_t incarnation = 0;
    std::string why;
    std::uint64_t batches = 0;  // if the worker computes for too long: its Work.batches at the time of the verdict
    // The server that the worker does not reach; nullopt for a member that is hung for another reason.
    std::optional<wire::Server> unreached = {};
  };

  static std::optional<MemberRole> member_role_from(wire::Role role);
  void received_from_server(const Member& member, const wire::Message& message);
  void received_from_worker(PeerId peer, const wire::Message& message);

  void admit(PeerId peer, const wire::Hello& hello, Instant now);
  // Returns nullopt if the member may join.
  std::optional<Refusal> refusal_of(const wire::Hello& hello) const;
  static Shard shard_from(PeerId peer, const wire::Held& held, BatchSet applied);
  std::uint32_t members_of(MemberRole role) const;
  void require_same_data(const wire::Hello& hello, MemberRole role) const;
  // Converts the batches that a server says it has applied. Returns nullopt if they cannot be batches of this job.
  std::optional<BatchSet> applied_from(const WireRuns& runs) const;
  void refuse(PeerId peer, const std::string& reason, bool superseded);
  void remove_member(PeerId peer);

  void start_or_load();
  void load_last_commit();
  void start_training();
  Instant time_to_count_from() const;
  void end();
  void send_end(PeerId peer);
  void loaded(const Member& member, const wire::Loaded& message);

  void assign_after_change(std::optional<PeerId> joined);
  void assign(const std::vector<PeerId>& to);
  bool set_lanes(wire::Assignment& assignment, std::uint64_t i, std::uint64_t workers) const;
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

  BatchSet applied_everywhere() const;
  void count_what_servers_hold();
  void snapshotted(const Member& member, const wire::Snapshotted& message);
  void add_snapshot(OpenCut& cut, std::uint32_t server, BatchSet applied);
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
  const wire::Link* report_on(const Member& worker, std::uint32_t server) const;
  bool cannot_tell(const Member& worker, std::uint32_t server) const;
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
  // The largest number while the total is not known: the job then has no end.
  std::uint64_t end_of_job() const { return settings_.total_batches ? *settings_.total_batches : ~std::uint64_t{0}; }
  std::vector<PeerId> workers() const;
  void send(PeerId peer, wire::Message message) { commands_.push_back(SendTo{peer, std::move(message)}); }
  Commands take_commands() { return std::exchange(commands_, {}); }

  CoordinatorSettings settings_;
  Commit committed_;
  Commands commands_;

  std::map<PeerId, Member> members_;
  std::map<Place, std::uint32_t> newest_;  // highest incarnation seen
  std::map<std::uint32_t, Shard> shards_;  // by server; connected servers only

  Instant now_;  // the time of the last event that had one

  std::map<Place, Verdict> hung_;             // until a new process takes the place, or the member makes progress
  std::map<std::uint32_t, Gone> gone_;        // by server
  std::set<std::uint32_t> unreached_before_;  // servers that were once considered hung because no worker reached them
  StepTimes step_times_;
  std::map<std::uint32_t, CountedBatches> counted_batches_;  // by worker
  Instant conclude_from_;                                    // no member is considered hung before this time
  std::optional<Instant> ticked_;                            // the time of the last tick

  std::uint64_t timeline_ = 0;
  std::uint64_t timeline_count_ = 0;
  std::uint64_t assignment_count_ = 0;
  bool running_ = false;     // all servers hold a state to train from
  bool committing_ = false;  // a WriteCommit is under way
  bool ended_ = false;
  bool idle_ = false;                   // there has been no worker for a while, or all have left
  bool servers_disagree_ = false;       // while idle: the servers hold different states
  std::optional<Instant> last_worked_;  // when a worker was last connected, or a server reported a step
  double last_loss_ = 0;
  LossTotals loss_totals_;

  // Sync: no server applies a step beyond this version. Async: no batch from this number on is granted. It only grows
  // within a timeline. A regular cut is ordered at the limit before the limit is raised, so no server can have applied
  // more.
  std::uint64_t limit_ = 0;
  // Sync, if gradients are clipped by norm: the sums of squares that servers have reported for each step, by the
  // version before the step and by server.
  std::map<std::uint64_t, std::map<std::uint32_t, std::vector<double>>> norms_;
  std::uint64_t lead_ = 2;  // number of batches by which the limit is raised: about as many as are done in a second
  Instant limit_raised_;    // when it was last raised by lead_

  std::uint64_t cut_count_ = 0;
  std::map<std::uint64_t, OpenCut> open_cuts_;  // by version
  std::optional<Instant> last_cut_;             // when the last committed cut was ordered, or training began
  std::optional<Instant> last_commit_;

  BatchSet done_;                           // Async: batches that are done on every server
  std::map<std::uint64_t, PeerId> leases_;  // Async: batch to the worker that computes it
  Staleness staleness_;
};

}  // namespace carrack::train
