// Gate: accepts the connections of a GrpcEndpoint or SharedMemoryEndpoint, and passes on those whose other side proves
// within opening_time_max that it knows the job's key. It closes the others, and logs failed proofs (stranger_log.h).
// Until that proof the other side is a stranger: any process that can reach the port. The gate reads at most one
// Response (protocol/opening.h) from a stranger, and a stranger can delay or displace only other strangers. gRPC gets a
// connection only after the proof, because it allocates memory for anything that it receives.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <thread>

#include "trainer/comm/protocol/opening.h"
#include "trainer/comm/transport/member_socket.h"
#include "trainer/comm/transport/stranger_log.h"
#include "trainer/comm/transport/wake_event.h"

namespace carrack::train {

class Gate {
 public:
  // The maximum number of strangers at a time. When one more arrives, the oldest is closed. So a member is admitted if
  // it proves itself before this many other connections arrive, and before the process has no descriptors left.
  static constexpr std::size_t strangers_max = 256;

  // Called on the gate's thread for each admitted connection. The callee owns the socket, which is nonblocking, and
  // must not throw.
  using Admit = std::function<void(int socket, const AcceptedOpening::Proven& proven)>;

  // Starts a thread that accepts connections of `listening` and calls `admit`, which must not be empty. `self` is what
  // the gate proves to the other side. The bytes of `key`, and `log`, must outlive this.
  Gate(Listening listening, KeyBytes key, AcceptingMember self, StrangerLog& log, Admit admit);
  // Stops accepting, waits for the thread, and closes the connections that were not admitted. Others are not affected.
  ~Gate();

 private:
  struct Stranger {
    MemberSocket socket;
    OpeningDeadline deadline;
    AcceptedOpening opening;
    Response response{};
    std::size_t received = 0;  // number of bytes of the response that have arrived
    bool is_done = false;      // it was admitted, or must be closed
  };

  void serve();
  void accept_connections();
  void challenge(MemberSocket socket);
  void read_response(Stranger& stranger);
  void admit(Stranger& stranger);
  void refuse(Stranger& stranger, const std::string& why);
  void close_finished();
  int poll_timeout_ms() const;

  const Listening listening_;
  const KeyBytes key_;
  const AcceptingMember self_;
  StrangerLog& log_;
  const Admit admit_;
  const WakeEvent stop_event_;
  std::deque<Stranger> strangers_;  // the oldest first; used only by thread_
  std::thread thread_;              // last: it uses all of the above
};

}  // namespace carrack::train
