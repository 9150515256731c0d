// One worker's side of the protocol, as a pure state machine: which servers to talk to, which parameters to ask for,
// what to compute next, and whom to tell. It computes nothing itself: a Compute comes back as computed().
// docs/design/parameter-server.md tells the protocol.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "trainer/comm/protocol/frame.h"
#include "trainer/comm/protocol/peer_id.h"
#include "trainer/kernels/lanes.h"

namespace carrack::train {

// A sum over one subtree of lanes (Sync) or over a whole batch (Async), for the whole flat buffer.
struct Gradient {
  Subtree lanes;
  std::shared_ptr<const std::vector<float>> sum;
  std::uint64_t records = 0;
  double loss = 0;
  bool first_pass = false;  // Of data that is not indexed.
};

// The part of the flat buffer that a server holds.
struct ServerRange {
  std::size_t begin = 0;
  std::size_t size = 0;
};

class Worker {
 public:
  struct Connect {
    std::uint32_t server = 0;
    std::string address;
    std::uint32_t incarnation = 0;  // Whom the Hello is to name.
  };
  struct Disconnect {
    PeerId peer = 0;
  };
  struct Send {
    PeerId peer = 0;
    wire::Message message;
    Tail tail;
  };
  struct Compute {
    std::uint64_t batch = 0;
    Range lanes;
  };
  // All is said; when what was sent to the coordinator has left, the process may end.
  struct Leave {};
  using Command = std::variant<Connect, Disconnect, Send, Compute, Leave>;
  using Commands = std::vector<Command>;

  // `ranges` is by server; `size` is the length of the flat buffer.
  Worker(bool sync, int lanes, std::vector<ServerRange> ranges, std::size_t size);

  void coordinator_is(PeerId peer);
  Commands connected(std::uint32_t server, PeerId peer);
  Commands received(PeerId from, Frame frame);
  Commands closed(PeerId peer);
  Commands computed(const std::vector<Gradient>& gradients);
  // In place of that, where it turns out that the job has no such batch, but so many.
  Commands ended(std::uint64_t total);

  // It is asked to leave. A Leave follows when nothing of it is under way: in Sync when all servers have the same
  // version, in Async when the batch at hand is finished. After it nothing is to be told to this any more.
  Commands leave();
  // That takes too long.
  Commands leave_at_once();

  // The parameters that the last Compute is about.
  const std::vector<float>& parameters() const { return parameters_; }

 private:
  struct Server {
    std::string address;
    std::uint32_t incarnation = 0;
    PeerId peer = 0;                       // Zero: no stream.
    std::vector<float> values;             // Its range, as it came last.
    std::optional<std::uint64_t> version;  // Of `values`.
    std::uint64_t newest = 0;              // In this timeline.
    bool acknowledged = false;             // Async: the batch at hand is applied there.
  };

  void assigned(const wire::Assignment& message);
  void granted(const wire::Grant& message);
  void parameters_came(std::uint32_t server, const wire::Parameters& message, std::vector<float> values);
  void applied(std::uint32_t server, const wire::Applied& message);

  // Begins with what is to be done next from the newest parameters, if need be once the Compute that is out has come
  // back; harmless at any time.
  void begin();
  bool has_work() const { return sync_ ? lanes_.size() != 0 : !leases_.empty(); }
  void say_leaving(std::uint64_t version);
  void want(Server& server, std::uint64_t version);
  bool all_servers_here() const;
  bool versions_agree();
  bool must_mend(std::uint64_t batch) const;
  void compute_if_ready();
  void push(Server& server, ServerRange range, std::uint64_t batch, const Gradient& gradient);
  void send(PeerId peer, wire::Message message, Tail tail = {});
  Commands taken() { return std::exchange(commands_, {}); }

  bool sync_;
  int all_lanes_;
  std::vector<ServerRange> ranges_;
  std::vector<float> parameters_;
  Commands commands_;

  PeerId coordinator_ = 0;
  std::map<std::uint32_t, Server> servers_;
  std::uint64_t timeline_ = 0;
  std::uint64_t total_ = ~std::uint64_t{0};  // As far as is known.
  Range lanes_;
  std::deque<std::uint64_t> leases_;        // Async: the first is at hand.
  std::optional<std::uint64_t> computing_;  // The batch of the Compute that is out.
  std::uint64_t computing_timeline_ = 0;
  bool begin_again_ = false;  // Once it is back.
  bool pushed_ = false;       // Async: the batch at hand; its Applied are awaited.
  bool leaving_ = false;
  std::uint64_t records_ = 0;  // Of the last gradients.
  double loss_ = 0;
};

}  // namespace carrack::train
