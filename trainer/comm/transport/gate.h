// The gate of an endpoint accepts connections, and admits those whose other side proves within opening_time_max that it
// knows the job's key. All others are closed and logged. At most one Response is read from a stranger
// (protocol/opening.h), and a stranger can affect only connections of other strangers. gRPC does not see strangers,
// because it allocates memory for anything that they send.
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
  // The maximum number of connections that wait for their proof. When one more arrives, the oldest is closed. So a
  // member is admitted if it proves itself before this many other connections arrive.
  static constexpr std::size_t strangers_max = 256;

  // Called on the gate's thread for each admitted connection. It owns the socket, which is nonblocking. It must not
  // throw.
  using Admit = std::function<void(int socket, const AcceptedOpening::Proven& proven)>;

  // Starts a thread that accepts connections and calls `admit`, which must not be empty. The bytes of `key`, and `log`,
  // must outlive this.
  Gate(Listening listening, KeyBytes key, Reached self, StrangerLog& log, Admit admit);
  // Stops accepting, waits for the thread, and closes the connections that were not admitted.
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
  const Reached self_;
  StrangerLog& log_;
  const Admit admit_;
  const WakeEvent stop_event_;
  std::deque<Stranger> strangers_;  // the oldest first; used only by thread_
  std::thread thread_;              // last: it uses all of the above
};

}  // namespace carrack::train
