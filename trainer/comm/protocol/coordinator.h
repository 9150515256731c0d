// The coordinator of a parameter-server job, as a pure state machine: events in, commands out; no clock, no I/O.
// It knows who is in, decides from where training goes on, grants work, orders cuts and names the commit. What it does
// not write to storage (all but the commits) it learns again from its members, should it be replaced.
// docs/formats/wire.md tells the messages, docs/design/parameter-server.md the protocol.
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

#include "trainer/comm/protocol/message.pb.h"
#include "trainer/comm/protocol/peer_id.h"
#include "trainer/comm/protocol/runs.h"
#include "trainer/comm/protocol/wire_runs.h"

namespace carrack::train {

using Instant = std::chrono::steady_clock::time_point;

// What the coordinator is told once.
struct CoordinatorSettings {
  std::string job_uid;
  std::uint32_t attempt = 0;
  std::uint32_t incarnation = 0;
  std::uint32_t servers = 1;
  std::uint32_t lanes = 8;
  bool sync = true;
  std::optional<std::uint64_t> total_batches = 1;  // Nothing: not known yet.
  std::uint64_t batches_per_cut = 1;
  std::string data;                         // What is trained on, in words; whoever has other data is no member.
  std::chrono::milliseconds silence{5000};  // After this much of it a worker counts as gone, and a job as at rest.
};

// The last commit, as the manifest has it; an empty name before the first.
struct Commit {
  std::string manifest;
  std::uint32_t manifest_crc32c = 0;
  std::uint64_t version = 0;
  std::vector<BatchRun> applied;
  bool resumed = false;  // It is another job's, which this one goes on from until it has made one of its own.
  bool operator==(const Commit&) const = default;
};

// All that a commit is made of, once every server has saved.
struct FinishedCut {
  std::uint64_t number = 0;
  std::string prefix;
  std::uint64_t version = 0;
  std::vector<BatchRun> applied;
  std::vector<wire::Saved> shards;  // By server.
};

struct SendTo {
  PeerId peer = 0;
  wire::Message message;
};
struct Disconnect {
  PeerId peer = 0;
};
struct WriteCommit {
  FinishedCut cut;
};
struct EndProcess {};  // The job is done.
using Command = std::variant<SendTo, Disconnect, WriteCommit, EndProcess>;
using Commands = std::vector<Command>;

class Coordinator {
 public:
  Coordinator(CoordinatorSettings voyage, Commit last) : voyage_(std::move(voyage)), committed_(std::move(last)) {}

  // Throws, for the user, where the job cannot go on.
  Commands received(PeerId from, const wire::Message& message, Instant now);
  Commands closed(PeerId peer);
  // A WriteCommit is done: HEAD names it.
  Commands committed(std::uint64_t number, const Commit& commit);
  Commands tick(Instant now);
  // How many batches the job has; nobody has gone past that.
  Commands total_known(std::uint64_t batches);

  // What /progress shows.
  std::uint64_t batches_done() const;
  const std::optional<std::uint64_t>& total_batches() const { return voyage_.total_batches; }
  // The job's own: one that it goes on from is no checkpoint of this folder.
  Commit last_commit() const { return committed_.resumed ? Commit{} : committed_; }
  double last_loss() const { return last_loss_; }
  // No worker is in, and all that is done is committed, or cannot be before one comes again.
  bool drained() const;

 private:
  struct Member {
    wire::Role role = wire::WORKER;
    std::uint32_t index = 0;
    std::uint32_t incarnation = 0;
    std::string address;
    Instant heard;
  };
  struct Shard {
    PeerId peer = 0;  // Zero: not here.
    std::uint64_t timeline = 0;
    std::uint64_t version = 0;
    std::uint64_t limit = 0;
    Runs applied;
    bool loading = false;
  };
  struct OpenCut {
    std::uint64_t number = 0;
    std::uint64_t version = 0;
    std::string prefix;
    bool at_rest = false;                        // Between the regular ones, as nobody computes any more.
    std::map<std::uint32_t, wire::Saved> saved;  // By server.
  };

  void admit(PeerId peer, const wire::Hello& hello, Instant now);
  void require_same_data(const wire::Hello& hello) const;
  void refuse(PeerId peer, const std::string& reason, bool superseded);
  void leave(PeerId peer);

  void decide();
  void start_over();
  void start_running();
  void end();
  void tell_end(PeerId peer);
  void loaded(const Member& member, const wire::Loaded& message);

  void assign();
  void grant();
  void finished(PeerId peer, const wire::Finished& message);
  void applied(const Member& member, const wire::Applied& message);
  void take_loss(double sum, std::uint64_t records, std::uint64_t step);

  void open_cuts();
  OpenCut& open_cut(std::uint64_t version);
  std::uint64_t cut_after(std::uint64_t version) const;
  std::uint64_t next_cut_version() const;
  void order(const OpenCut& cut);
  void saved(const Member& member, const wire::Saved& message);
  void commit_if_whole();

  void leaving(PeerId peer, const wire::Leaving& message);
  void rest();
  void wake();
  void cut_at_rest();
  void drop_cut_at_rest(std::optional<std::uint64_t> unless_at);
  bool servers_agree() const;
  bool is_what_is_done(const OpenCut& cut) const;
  void believe_what_is_saved(OpenCut cut);

  std::uint64_t new_timeline() { return (std::uint64_t{voyage_.incarnation} << 32) | ++timelines_; }
  bool all_servers_here() const;
  bool all_committed() const { return !committed_.manifest.empty() && committed_.version == voyage_.total_batches; }
  // While it is not known, the job goes on for ever.
  std::uint64_t end_of_job() const { return voyage_.total_batches ? *voyage_.total_batches : ~std::uint64_t{0}; }
  Runs applied_everywhere() const;
  std::vector<PeerId> workers() const;
  void send(PeerId peer, wire::Message message) { commands_.push_back(SendTo{peer, std::move(message)}); }
  Commands taken() { return std::exchange(commands_, {}); }

  CoordinatorSettings voyage_;
  Commit committed_;
  Commands commands_;

  std::map<PeerId, Member> members_;
  std::map<std::pair<wire::Role, std::uint32_t>, std::uint32_t> newest_;  // The highest incarnation seen of each.
  std::map<std::uint32_t, Shard> shards_;

  std::uint64_t timeline_ = 0;
  std::uint64_t timelines_ = 0;
  bool running_ = false;
  bool committing_ = false;
  bool ended_ = false;
  bool at_rest_ = false;           // No worker is in, and none is waited for.
  bool torn_ = false;              // At rest: the servers do not hold the same.
  std::optional<Instant> worked_;  // When last a worker was in, or a server told that one had been at work.
  double last_loss_ = 0;

  std::uint64_t cuts_ = 0;
  std::map<std::uint64_t, OpenCut> open_;  // By version.

  Runs done_;                                // Async.
  std::map<std::uint64_t, PeerId> granted_;  // Async: batch to worker.
};

}  // namespace carrack::train
