// ParameterServer: decides what a parameter server of a job does. It is a pure state machine without threads, clock or
// I/O: its caller (loop/roles/server_role.cc) passes in each event, such as a frame that arrived, and carries out the
// returned Commands. Tests run it with simulated networks and storage.
//
// The server owns a range of the model's flat parameter buffer, with the state of the optimizer. It sends parameters to
// workers that request them, and updates them with the gradients that workers push. In Sync it sums the gradients of
// all workers for a step and applies the sum once. It also retains the previous version of the parameters, for a worker
// that computes lanes (shares of the batch) of a lost worker. In Async it applies the gradient of each batch as it
// arrives, at most once. Not thread-safe. docs/design/parameter-server.md describes the protocol.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "trainer/comm/protocol/arrival_sum.h"
#include "trainer/comm/protocol/frame.h"
#include "trainer/comm/protocol/gradient_tree.h"
#include "trainer/comm/protocol/peer_id.h"
#include "trainer/comm/protocol/runs.h"
#include "trainer/launch/config.h"
#include "trainer/optimizer/optimizer.h"

namespace carrack::train {

// The state of a server's range, as the server writes it to a checkpoint at a cut (the coordinator's order to all
// servers to save). Copies share the values.
struct ShardState {
  std::uint64_t version = 0;  // number of updates that were applied
  SharedFloats parameters;    // null before the first load
  // One vector for each state of the optimizer, each as long as the parameters. The server writes new values into a
  // vector only while no copy of this state uses it, so a save must destroy its copy on the server's thread.
  std::vector<std::shared_ptr<Floats>> optimizer;
  BatchSet applied;  // Async: the batches of these updates
  Skipped skipped;   // records left out in these updates
};

struct ServerSettings {
  std::string job_uid;
  std::uint32_t attempt = 0;
  std::uint32_t index = 0;
  std::uint32_t incarnation = 0;
  std::uint32_t workers_max = 1;       // workers with this index or a higher one are refused
  Training training;                   // lanes, consistency, and all that an update depends on
  std::vector<Range> blocks = {};      // the blocks of this server's range, counted from its first element; for norms
  std::vector<UpdatePart> parts = {};  // the parts of this server's range that are updated with different settings
  cpu::ThreadPool* threads = nullptr;  // run updates; must outlive the server; null: updates run on the calling thread
};

// The caller passes in each event, and carries out the Commands that the call returns, in their order.
class ParameterServer {
 public:
  // Send this frame on the stream `peer`.
  struct Send {
    PeerId peer = 0;
    wire::Message message;
    Tail tail;
  };
  // Load the state that `from` names, from a checkpoint or as initial values, then call loaded(). Other events may be
  // passed in before that.
  struct BeginLoad {
    wire::Load from;
  };
  // Write this state to storage, then call saved(). Other events may be passed in before that: training continues. No
  // other BeginSave is returned before that.
  struct BeginSave {
    wire::Cut cut;
    ShardState state;
  };
  // End this stream once the messages of earlier commands are sent.
  struct Disconnect {
    PeerId peer = 0;
  };
  using Command = std::variant<Send, BeginLoad, BeginSave, Disconnect>;
  using Commands = std::vector<Command>;

  explicit ParameterServer(ServerSettings settings) : settings_(std::move(settings)), tree_(settings_.training.lanes) {}

  // Sets the stream to the coordinator. Call it for each new stream, also if the coordinator is another process than
  // before. The Hello that the caller sends on this stream must contain held(). The result of a load that was ordered
  // before is ignored, because it would replace the state that the Hello reports.
  void coordinator_is(PeerId peer);
  // Returns which state this server has in memory, for its Hello to a coordinator: timeline (0: none), version and so
  // on.
  wire::Held held() const;

  // Handles a part of a frame from the coordinator or a worker. Ignores streams without an accepted Hello. Refuses a
  // worker that is of another job or attempt, was replaced, or sends what does not fit. Throws Error with Blame::user,
  // which must end the job, if an index was removed from the checkpoint folder while the job needed it.
  Commands received(PeerId from, FramePart part);
  // Call this when a stream has ended, no matter which side ended it.
  Commands closed(PeerId peer);
  // Call this when the BeginLoad whose `from` has this timeline is done. `state.parameters` must not be null. `state`
  // is ignored if another load was ordered, or coordinator_is() was called, after that BeginLoad.
  Commands loaded(std::uint64_t timeline, ShardState state);
  // Call this when the BeginSave is done and its file is durable. The server reports it to the coordinator, unless a
  // state was loaded since or the coordinator has dropped the cut.
  Commands saved(wire::Saved saved);

 private:
  // A worker that has requested a version which does not exist yet.
  struct Waiting {
    PeerId worker = 0;
    std::uint64_t version = 0;
    std::uint64_t id = 0;  // the id of its Want
  };

  void admit(PeerId peer, const wire::Hello& hello);
  void refuse(PeerId peer, const std::string& reason, bool superseded);
  void load(const wire::Load& message);
  void want(PeerId peer, std::uint64_t version, std::uint64_t id);
  void push(PeerId peer, const wire::Push& message, Piece piece);
  bool names_lanes(const wire::Push& message) const;
  bool add_part(PeerId peer, const wire::Push& message, Piece piece);
  void apply_batch(PeerId peer, const wire::Push& message, LaneSum sum);
  void require_one_order(const wire::Push& message);
  void advance();
  void apply(LaneSum total, std::optional<double> squares);
  bool waits_for_norm() const;
  void report_norm();
  void send_norms();
  void send_norm(std::uint64_t version);
  void norm_total(const wire::NormTotal& message);
  void serve(PeerId worker, std::uint64_t want, std::uint64_t version, const SharedFloats& values);
  void serve_waiting();
  void raise_limit(const wire::Limit& message);
  void cut(const wire::Cut& message);
  void drop_cuts_not_in(const wire::Cut& message);
  void save_if_due();
  void begin_next_save();
  void report_snapshot(const wire::Cut& cut);
  void send(PeerId peer, wire::Message message, Tail tail = {});
  Commands take_commands() { return std::exchange(commands_, {}); }

  bool is_current(std::uint64_t timeline) const;
  bool is_sync() const { return settings_.training.consistency == Consistency::sync; }

  ServerSettings settings_;
  Commands commands_;
  PeerId coordinator_ = 0;                         // 0: not connected
  std::map<PeerId, std::uint32_t> workers_;        // the worker's index, by stream
  std::map<std::uint32_t, std::uint32_t> newest_;  // highest incarnation seen of each worker
  std::vector<Waiting> waiting_;                   // at most one for each worker
  std::map<PeerId, TailAssembly> tails_;           // tails of pushes that are used only once complete, by stream

  std::uint64_t timeline_ = 0;  // 0: no state is loaded
  std::string order_;           // identifies the data, and its order, on which `state_` was trained
  std::string legacy_order_;    // the same text from a coordinator of a release without `order`
  ShardState state_;
  SharedFloats previous_;      // Sync: the parameters of the previous version; null right after a load
  std::uint64_t loading_ = 0;  // the timeline of the load that is under way; 0: none
  std::string loading_order_;
  std::string loading_legacy_order_;
  std::uint64_t limit_ = 0;  // Sync: no step beyond this version is applied
  // The sum of the next step. The workers' assignment decides which of the two is used; the other one stays incomplete.
  GradientTree tree_;
  ArrivalSum sum_;
  // Whether the parts of the next step belong to a first pass; nullopt before the first part has arrived.
  std::optional<bool> first_pass_;
  std::optional<LaneSum> ready_;  // the complete sum of the next step, while it waits for the limit or for its norm
  // Sync, if gradients are clipped by norm: the sums of squares, by block, of the next step once it is complete, and of
  // the previous step, which another server may not have applied yet.
  std::map<std::uint64_t, std::vector<double>> norms_;  // by version before the step
  std::optional<double> total_;  // the sum for the next step over all servers; nullopt: not received yet
  // A cut is first in ordered_, until its version is reached, and then in saves_.
  std::map<std::uint64_t, wire::Cut> ordered_;                 // by number
  std::map<std::uint64_t, std::optional<wire::Saved>> saves_;  // by number of the cut; nullopt: not saved yet
  std::deque<BeginSave> snapshots_;  // to save after the save that is under way, in this order
  bool is_saving_ = false;           // a BeginSave is under way
};

}  // namespace carrack::train
