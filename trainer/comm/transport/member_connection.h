// Opens a connection to another member: connects, and carries the messages of the opening (protocol/opening.h). Waits
// on the calling thread.
#pragma once

#include <string>
#include <variant>

#include "dataloader/http/stop.h"
#include "trainer/comm/protocol/opening.h"
#include "trainer/comm/transport/member_socket.h"

namespace carrack::train {

// This process, and the key by which it proves that it is one of the job. The key's owner must outlive it.
struct MemberIdentity {
  KeyBytes key;
  MemberStart self;
};

// Both sides have proven that they know the key.
struct ProvenConnection {
  MemberSocket socket;
  Proof proof;
  MemberStart peer;
};

struct FailedOpening {
  std::string why;
  bool is_by_stranger = false;  // the other side sent a wrong challenge or proof
};

// Takes at most lookup_time_max, and opening_time_max for each address; `stop` ends it earlier.
std::variant<ProvenConnection, FailedOpening> open_connection(const std::string& address,
                                                              const MemberIdentity& identity, const Expected& expected,
                                                              data::Stop& stop);

}  // namespace carrack::train
