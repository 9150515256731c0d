// Opens a connection to another member: connects, and exchanges the messages of the opening, in which both sides prove
// who they are (protocol/opening.h). Blocks the calling thread; Dialer (dialer.h) calls it on threads of its own.
#pragma once

#include <string>
#include <variant>

#include "dataloader/http/stop.h"
#include "trainer/comm/protocol/opening.h"
#include "trainer/comm/transport/member_socket.h"

namespace carrack::train {

// This process, and the key of its job. The bytes of the key are not copied: their owner must outlive this.
struct MemberIdentity {
  KeyBytes key;
  MemberStart self;
};

// A connection on which both sides have proven that they know the key.
struct ProvenConnection {
  MemberSocket socket;  // nonblocking, with set_options()
  Proof proof;          // the proof of this opening; secret_of_connection() needs it
  MemberStart peer;     // the process on the other side
};

struct FailedOpening {
  std::string why;              // a text for the log
  bool is_by_stranger = false;  // the other side is not the expected member, or does not know the key
};

// Connects to `address` (member_socket.h lists the forms) and proves `identity` to the process there, which must be one
// that `expected` allows. Takes at most lookup_time_max, plus opening_time_max for each IP address that is found.
// Another thread can end it earlier with `stop`; it then returns a FailedOpening. After it returns, `stop` does not
// refer to the connection any more.
std::variant<ProvenConnection, FailedOpening> open_connection(const std::string& address,
                                                              const MemberIdentity& identity,
                                                              const ExpectedMember& expected, data::Stop& stop);

}  // namespace carrack::train
