// The gate of an endpoint: accepts connections, and passes on those whose other side has proven in time that it knows
// the job's key. Of any other at most one response is read (protocol/opening.h); it is closed, which changes nothing
// else, and ends no other connection but those of strangers. gRPC, which would take memory for whatever it is sent,
// sees none of them.
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
  // At most this many connections wait for their proof. If one more comes, the oldest is closed. A member gets in while
  // others keep coming if it proves itself before as many have come behind it; over loopback it does.
  static constexpr std::size_t strangers_max = 256;

  // Owns the socket from then on.
  using Admit = std::function<void(int socket, const AcceptedOpening::Proven& proven)>;

  // Accepts from now on, on a thread of its own, which calls `admit`. `key` and `log` must outlive this.
  Gate(Listening listening, KeyBytes key, Reached self, StrangerLog& log, Admit admit);
  // Closes what has not been admitted.
  ~Gate();

 private:
  struct Stranger {
    MemberSocket socket;
    OpeningDeadline deadline;
    AcceptedOpening opening;
    Response response{};
    std::size_t received = 0;  // bytes of the response
    bool is_done = false;      // admitted, or to be closed
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
  std::deque<Stranger> strangers_;  // the oldest first; used by thread_ alone
  std::thread thread_;              // last: it uses all of the above
};

}  // namespace carrack::train
