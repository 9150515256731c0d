// Opens a connection to another member: connects, and exchanges the messages of the opening (protocol/opening.h).
// Blocks the calling thread.
#pragma once

#include <string>
#include <variant>

#include "dataloader/http/stop.h"
#include "trainer/comm/protocol/opening.h"
#include "trainer/comm/transport/member_socket.h"

namespace carrack::train {

// This process, and the key of its job. The owner of the key's bytes must outlive this.
struct MemberIdentity {
  KeyBytes key;
  MemberStart self;
};

// A connection on which both sides have proven that they know the key.
struct ProvenConnection {
  MemberSocket socket;
  Proof proof;
  MemberStart peer;
};

struct FailedOpening {
  std::string why;              // text for people
  bool is_by_stranger = false;  // the other side sent a wrong challenge or a wrong proof
};

// Takes at most lookup_time_max, and opening_time_max for each address of the name. `stop` ends it earlier, with a
// FailedOpening.
std::variant<ProvenConnection, FailedOpening> open_connection(const std::string& address,
                                                              const MemberIdentity& identity, const Expected& expected,
                                                              data::Stop& stop);

}  // namespace carrack::train
