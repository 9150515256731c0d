// One parameter server, as a pure state machine over its range of the flat buffer: events in, commands out.
// Sync: the parts of a step are summed in lane order, applied once, and the version before is kept, because a worker
// that took over lanes of a dead one may need it for another server. Async: a batch is applied at most once.
// docs/design/parameter-server.md tells the protocol.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "trainer/comm/protocol/frame.h"
#include "trainer/comm/protocol/gradient_tree.h"
#include "trainer/comm/protocol/peer_id.h"
#include "trainer/comm/protocol/runs.h"
#include "trainer/optimizer/optimizer.h"

namespace carrack::train {

using SharedFloats = std::shared_ptr<const std::vector<float>>;

// All that a server must have to go on, and all that a cut saves.
struct ShardState {
  std::uint64_t version = 0;  // Updates applied.
  SharedFloats parameters;
  std::vector<std::vector<float>> optimizer;
  Runs applied;  // Async: which batches they were.
};

struct ServerShape {
  std::string job_uid;
  std::uint32_t attempt = 0;
  std::uint32_t index = 0;
  std::uint32_t incarnation = 0;
  int lanes = 8;
  bool sync = true;
  bool mean = true;  // Divide by the number of records.
  Optimizer optimizer;
};

class ParameterServer {
 public:
  struct Send {
    PeerId peer = 0;
    wire::Message message;
    Tail tail;
  };
  struct BeginLoad {
    wire::Load from;
  };
  struct BeginSave {
    wire::Cut cut;
    ShardState state;
  };
  struct Disconnect {
    PeerId peer = 0;
  };
  using Command = std::variant<Send, BeginLoad, BeginSave, Disconnect>;
  using Commands = std::vector<Command>;

  explicit ParameterServer(ServerShape shape) : shape_(std::move(shape)), tree_(shape_.lanes) {}

  // A stream to a coordinator, perhaps another than before; it is told what is held in its Hello.
  // What the one before ordered to be loaded does not replace what the new one was told is held.
  void coordinator_is(PeerId peer);
  wire::Held held() const;

  Commands received(PeerId from, Frame frame);
  Commands closed(PeerId peer);
  Commands loaded(std::uint64_t timeline, ShardState state);
  // `saved` is complete but for what the state machine knows.
  Commands saved(wire::Saved saved);

 private:
  struct Waiting {
    PeerId worker = 0;
    std::uint64_t version = 0;
  };

  void admit(PeerId peer, const wire::Hello& hello);
  void refuse(PeerId peer, const std::string& reason, bool superseded);
  void load(const wire::Load& message);
  void want(PeerId peer, const wire::Want& message);
  void push(PeerId peer, const wire::Push& message, std::vector<float> values);
  void require_one_order(const wire::Push& message);
  void advance();
  void apply(LaneSum total);
  void serve(PeerId worker, std::uint64_t version, const SharedFloats& values);
  void serve_waiting();
  void cut(const wire::Cut& message);
  void save_if_due();
  void send(PeerId peer, wire::Message message, Tail tail = {});
  Commands taken() { return std::exchange(commands_, {}); }

  ServerShape shape_;
  Commands commands_;
  PeerId coordinator_ = 0;
  std::map<PeerId, std::uint32_t> workers_;        // Stream to worker.
  std::map<std::uint32_t, std::uint32_t> newest_;  // The highest incarnation seen of each worker.
  std::vector<Waiting> waiting_;

  std::uint64_t timeline_ = 0;  // Zero: nothing is loaded.
  std::string data_;            // What `state_` is trained on.
  ShardState state_;
  SharedFloats previous_;
  std::uint64_t loading_ = 0;  // The timeline of the Load that is under way.
  std::string loading_data_;
  std::uint64_t limit_ = 0;  // Sync: the version of the last cut ordered; not gone past.
  GradientTree tree_;
  std::optional<bool> first_pass_;                             // What the parts of the step at hand are of.
  std::optional<LaneSum> ready_;                               // A whole step that waits for the limit.
  std::map<std::uint64_t, wire::Cut> ordered_;                 // By number; not begun yet.
  std::map<std::uint64_t, std::optional<wire::Saved>> begun_;  // By number; with the result once it is there.
};

}  // namespace carrack::train
