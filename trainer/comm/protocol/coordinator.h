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
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "trainer/comm/protocol/message.pb.h"
#include "trainer/comm/protocol/order.h"
#include "trainer/comm/protocol/peer_id.h"
#include "trainer/comm/protocol/runs.h"
#include "trainer/comm/protocol/wire_runs.h"

namespace carrack::train {

using Instant = std::chrono::steady_clock::time_point;

struct CoordinatorSettings {
  std::string job_uid;
  std::uint32_t attempt = 0;
  std::uint32_t incarnation = 0;
  std::uint32_t servers = 1;
  std::uint32_t workers_max = 1;
  std::uint32_t lanes = 8;
  bool sync = true;
  std::optional<std::uint64_t> total_batches = 1;  // nullopt: not known yet
  std::uint64_t batches_per_cut = 1;
  Order order;  // if a member has another order, the job fails
  // A worker that has sent nothing for this long is lost; a job without workers for this long is idle.
  std::chrono::milliseconds silence_limit{5000};
};

// The last commit as its manifest has it; `manifest` is empty before the first.
struct Commit {
  std::string manifest;
  std::uint32_t manifest_crc32c = 0;
  std::uint64_t version = 0;
  std::vector<BatchRun> applied;
  bool resumed = false;  // the commit is another job's, from which this one starts
  bool operator==(const Commit&) const = default;
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

  // What /progress shows.
  std::uint64_t batches_done() const;
  const std::optional<std::uint64_t>& total_batches() const { return settings_.total_batches; }
  // The last commit of this job itself; one that it resumed from does not count.
  Commit last_commit() const { return committed_.resumed ? Commit{} : committed_; }
  // Per record, of the last batch.
  double last_loss() const { return last_loss_; }
  // True if no worker is here, and everything that is done is committed or cannot be committed before one comes.
  bool drained() const;

 private:
  enum class MemberRole { server, worker };

  struct Member {
    MemberRole role = MemberRole::worker;
    std::uint32_t index = 0;
    std::uint32_t incarnation = 0;
    std::string address;
    Instant last_heard;
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
  struct SavedShard {
    wire::Saved message;
    Runs applied;
  };
  struct OpenCut {
    std::uint64_t number = 0;
    std::uint64_t version = 0;
    std::string prefix;
    bool idle = false;                          // ordered between the regular cuts, because the job is idle
    std::map<std::uint32_t, SavedShard> saved;  // by server
  };

  static std::optional<MemberRole> member_role_from(wire::Role role);
  void received_from_server(const Member& member, const wire::Message& message);
  void received_from_worker(PeerId peer, const wire::Message& message);

  void admit(PeerId peer, const wire::Hello& hello, Instant now);
  std::uint32_t members_of(MemberRole role) const;
  void require_same_data(const wire::Hello& hello, MemberRole role) const;
  // Applied batches as a server reports them; nullopt if the coordinator must not use them.
  std::optional<Runs> applied_from(const WireRuns& runs) const;
  void refuse(PeerId peer, const std::string& reason, bool superseded);
  void remove_member(PeerId peer);

  void start_or_load();
  void load_last_commit();
  void start_training();
  void end();
  void send_end(PeerId peer);
  void loaded(const Member& member, const wire::Loaded& message);

  void assign();
  void grant();
  void finished(PeerId peer, const wire::Finished& message);
  void applied(const Member& member, const wire::Applied& message);
  void record_loss(double sum, std::uint64_t records, std::uint64_t step);

  void order_next_cuts();
  OpenCut& open_cut(std::uint64_t version);
  std::uint64_t cut_after(std::uint64_t version) const;
  std::uint64_t next_cut_version() const;
  void order(const OpenCut& cut);
  void saved(const Member& member, const wire::Saved& message);
  void commit_if_complete();

  void leaving(PeerId peer, const wire::Leaving& message);
  void enter_idle();
  void leave_idle();
  void order_idle_cut();
  void drop_idle_cuts(std::optional<std::uint64_t> except_version);
  bool servers_agree() const;
  bool saved_what_is_done(const OpenCut& cut) const;
  void adopt_saved_state(OpenCut cut);

  std::uint64_t new_timeline() { return (std::uint64_t{settings_.incarnation} << 32) | ++timeline_count_; }
  bool all_servers_here() const;
  bool all_committed() const { return !committed_.manifest.empty() && committed_.version == settings_.total_batches; }
  // The largest number while the total is not known: the job then goes on without end.
  std::uint64_t end_of_job() const { return settings_.total_batches ? *settings_.total_batches : ~std::uint64_t{0}; }
  Runs applied_everywhere() const;
  std::vector<PeerId> workers() const;
  void send(PeerId peer, wire::Message message) { commands_.push_back(SendTo{peer, std::move(message)}); }
  Commands take_commands() { return std::exchange(commands_, {}); }

  CoordinatorSettings settings_;
  Commit committed_;
  Commands commands_;

  std::map<PeerId, Member> members_;
  std::map<std::pair<MemberRole, std::uint32_t>, std::uint32_t> newest_;  // highest incarnation seen, by role and index
  std::map<std::uint32_t, Shard> shards_;                                 // by server; only servers that are here

  std::uint64_t timeline_ = 0;
  std::uint64_t timeline_count_ = 0;
  bool running_ = false;     // all servers hold a state to train from
  bool committing_ = false;  // a WriteCommit is under way
  bool ended_ = false;
  bool idle_ = false;                   // no worker is here, and none is waited for
  bool servers_disagree_ = false;       // while idle: the servers hold different states
  std::optional<Instant> last_worked_;  // when a worker was last here, or a server reported a step
  double last_loss_ = 0;

  std::uint64_t cut_count_ = 0;
  std::map<std::uint64_t, OpenCut> open_cuts_;  // by version

  Runs done_;                               // Async: batches that every server has applied
  std::map<std::uint64_t, PeerId> leases_;  // Async: batch to the worker that computes it
};

}  // namespace carrack::train
