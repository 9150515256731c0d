// Worker: decides what a worker of a job does: which parameter servers to connect to, which parameters to request,
// which gradients to compute and push, and what to report. It is a pure state machine without threads, clock or I/O:
// its caller (loop/roles/worker_role.cc) passes in each event, such as a frame that arrived, and carries out the
// returned Commands in their order. Not thread-safe. docs/design/parameter-server.md describes the protocol.
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
#include "trainer/comm/protocol/skipped.h"
#include "trainer/kernels/lanes.h"

namespace carrack::train {

// What the caller has computed: the sum of the gradients of some records. In Sync these are the records of neighbouring
// lanes (shares of a batch), in Async those of a whole batch.
struct Gradient {
  Range lanes;
  // As long as the flat parameter buffer. Nothing else may refer to it, since its values may be moved away.
  std::shared_ptr<Floats> sum;
  std::uint64_t records = 0;  // without the skipped ones
  double loss = 0;            // the sum of the losses of these records
  bool first_pass = false;    // the batch belongs to a first pass over data that is not indexed
  Skipped skipped = {};       // records of these lanes that were left out
  // Async, if gradients are clipped by norm: the sum of squares over the whole gradient (Push.squares).
  double squares = 0;
};

// The part of the flat parameter buffer that one server owns, in elements.
struct ServerRange {
  std::size_t begin = 0;
  std::size_t size = 0;
};

class Worker {
 public:
  // Open a stream to this server and send Hello on it, then call connected(). The caller may do so later; a newer
  // Connect for the same server then replaces this one.
  struct Connect {
    std::uint32_t server = 0;  // index of the server
    std::string address;
    std::uint32_t incarnation = 0;  // of the server's process; for Hello.to
  };
  // End this stream immediately. The worker ignores what still arrives on it.
  struct Disconnect {
    PeerId peer = 0;
  };
  // Send this frame on the stream `peer`.
  struct Send {
    PeerId peer = 0;
    wire::Message message;
    Tail tail;
  };
  // Compute the gradients of these lanes of the batch from parameters(), then call computed() or ended(), once. Other
  // events may be passed in before that; parameters() does not change until then, and no second Compute is returned. If
  // lanes_in_batch is not 0, the batch has that many lanes, and the result is one sum over all of `lanes`. If it is 0,
  // the batch has the lanes of the job, and the result is one sum for each subtree in aligned_subtrees(lanes)
  // (lanes.h).
  struct Compute {
    std::uint64_t batch = 0;
    Range lanes;
    std::uint32_t lanes_in_batch = 0;
    std::vector<std::uint64_t> leases = {};  // Async: the batches to expect after this one
  };
  // The last command: the worker is done, because leave() or leave_at_once() was called. End the process once its
  // frames to the coordinator are sent.
  struct Leave {};
  using Command = std::variant<Connect, Disconnect, Send, Compute, Leave>;
  using Commands = std::vector<Command>;

  // `sync`: the job is Sync, not Async. `lanes` is the number of lanes of the job. `ranges` are those of all servers,
  // by index; together they make up the flat parameter buffer of `size` floats.
  Worker(bool sync, int lanes, std::vector<ServerRange> ranges, std::size_t size);

  // Sets the stream to the coordinator. Call it for each new stream, once the Hello was sent on it.
  void coordinator_is(PeerId peer);
  // Call this after a Connect for this server, with the new stream, once the Hello was sent on it. The stream need not
  // be open yet.
  Commands connected(std::uint32_t server, PeerId peer);
  // Handles a part of a frame from the coordinator or a server. Ignores unknown streams, and answers that are out of
  // date. Throws Error with Blame::bug for a frame that does not fit the job.
  Commands received(PeerId from, FramePart part);
  // Call this when a stream has ended, no matter which side ended it. If it was the current one of a server, a Connect
  // is returned.
  Commands closed(PeerId peer);
  // Passes in the result of the last Compute: at least one sum, each with as many elements as the flat buffer. The
  // worker pushes it to the servers. It drops the result if the servers have loaded a state since (a new timeline), if
  // in Async this worker no longer has the batch, or if it has no stream to one of the servers.
  Commands computed(std::vector<Gradient> gradients);
  // Call this instead of computed() if the job has only `total` batches and Compute::batch, which counts from 0, is not
  // one of them.
  Commands ended(std::uint64_t total);

  // Call this when the process must end, for example because its pod is evicted. A Leave follows, in this call or a
  // later one, once no step of this worker is applied on some servers only. In Sync that is when all servers have the
  // same version, in Async when the current batch is finished. It may also have to wait for a stream to the
  // coordinator. Pass in no event after a Leave.
  Commands leave();
  // Returns a Leave immediately, even if a step is half done. For a caller that cannot wait any longer after leave().
  Commands leave_at_once();

  // What the worker does, for its Alive messages, by which the coordinator finds hung workers. In Sync, `batch` of a
  // worker that awaits parameters is the one after the last batch that it pushed in this timeline.
  struct Doing {
    enum class Kind { nothing, awaits_parameters, computes };
    Kind kind = Kind::nothing;
    std::uint64_t timeline = 0;
    std::uint64_t batch = 0;
    std::uint32_t server = 0;  // the server whose parameters are awaited: the lowest index if there are several
    bool operator==(const Doing&) const = default;
  };
  Doing doing() const;

  // The parameters that the last Compute needs. They do not change before computed() or ended(). After that they may,
  // but the pointer keeps the memory alive. May be null while no Compute is under way.
  SharedFloats parameters() const { return received_ ? received_ : assembled_; }

 private:
  struct Server {
    std::string address;
    std::uint32_t incarnation = 0;
    PeerId peer = 0;                       // 0: no stream
    std::optional<std::uint64_t> version;  // version of its range of parameters(); nullopt while it is awaited
    std::uint64_t awaited = 0;             // id of the Want whose answer is awaited; 0: none is awaited
    TailAssembly incoming = {};            // if there is one server: the parameters that are arriving
    std::size_t arrived = 0;               // if there are several: the number of values of its range that have arrived
    std::uint64_t newest = 0;              // highest version received in this timeline
    bool acknowledged = false;             // Async: the server has applied the current batch
    std::uint64_t staleness = 0;           // Async: the staleness that the server reported for the current batch
  };

  // The Compute that is under way. The worker may be assigned other lanes meanwhile.
  struct Computing {
    std::uint64_t batch = 0;
    std::uint64_t timeline = 0;
    std::uint64_t assignment = 0;
    std::uint32_t lanes_in_batch = 0;
    std::vector<std::uint64_t> versions = {};  // version of each server's parameters, by server
  };

  void assigned(const wire::Assignment& message);
  void granted(const wire::Grant& message);
  void refused();
  void received_parameters(std::uint32_t server, const wire::Parameters& message, Piece piece);
  bool complete_parameters(Server& server, ServerRange range, Piece piece);
  void received_applied(std::uint32_t server, const wire::Applied& message);

  // Requests the newest parameters for the next work, or arranges that this is done after the Compute that is under
  // way. If there is no work and leave() was called, reports that this worker leaves. May be called at any time.
  void begin();
  bool awaits_newest() const;
  bool has_one_server() const { return ranges_.size() == 1; }
  bool has_work() const { return sync_ ? lanes_.size() != 0 : !leases_.empty(); }
  void send_leaving(std::uint64_t version);
  std::uint64_t new_want(Server& server);
  void want(Server& server, std::uint64_t version);
  bool wants_all() const;
  bool all_servers_here() const;
  bool versions_agree();
  bool is_half_done(std::uint64_t batch) const;
  void compute_if_ready();
  void push(std::uint32_t server, const Computing& from, const Gradient& gradient, std::uint64_t want);
  Tail tail_for(ServerRange range, const Gradient& gradient) const;
  void send(PeerId peer, wire::Message message, Tail tail = {});
  Commands take_commands() { return std::exchange(commands_, {}); }

  bool sync_;
  int all_lanes_;
  std::vector<ServerRange> ranges_;
  std::size_t size_;
  // The parameters. With one server, received_ is the vector that it sent, which the server may share; it is null while
  // the next one is awaited. With several servers, each range is written to assembled_ as it arrives. Neither changes
  // while a Compute is under way.
  SharedFloats received_;
  std::shared_ptr<Floats> assembled_;
  Commands commands_;

  PeerId coordinator_ = 0;
  std::map<std::uint32_t, Server> servers_;
  std::uint64_t timeline_ = 0;
  std::uint64_t total_ = ~std::uint64_t{0};  // the largest number while the total is not known
  std::uint64_t assignment_ = 0;             // the number of the last assignment
  Range lanes_;                              // Sync: the lanes of this worker
  std::uint32_t lanes_in_batch_ = 0;         // Sync: see Compute::lanes_in_batch
  std::deque<std::uint64_t> leases_;         // Async: the first is the current batch
  std::optional<Computing> computing_;
  bool begin_again_ = false;   // call begin() when the Compute is done
  bool asked_newest_ = false;  // begin() has requested parameters since the last push
  bool pushed_ = false;        // Async: the current batch is pushed, but not applied on every server yet
  std::uint64_t next_ = 0;     // Sync: the batch after the last one that was pushed in this timeline
  bool leaving_ = false;
  std::uint64_t wants_ = 0;    // the id of the last Want
  std::uint64_t records_ = 0;  // records and, in loss_, loss of the last gradients
  double loss_ = 0;
};

}  // namespace carrack::train
