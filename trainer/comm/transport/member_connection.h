// Opens a connection to another member: connects, and exchanges the messages of the opening (protocol/opening.h).
// Blocks the calling thread.
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
  Proof proof;
  MemberStart peer;
};

struct FailedOpening {
  std::string why;              // a message for the user
  bool is_by_stranger = false;  // the other side is not the expected member, or does not know the key
};

// Takes at most lookup_time_max, plus opening_time_max for each address of the name. `stop` ends it earlier, with a
// FailedOpening. After it returns, `stop` does not refer to the connection any more.
std::variant<ProvenConnection, FailedOpening> open_connection(const std::string& address,
                                                              const MemberIdentity& identity, const Expected& expected,
                                                              data::Stop& stop);

}  // namespace carrack::train
