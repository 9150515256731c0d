// Identity: what an endpoint proves to other members when a connection begins: that it knows the job's key, and which
// process of which member it is.
#pragma once

#include <memory>
#include <string>

#include "trainer/comm/protocol/member_start.h"
#include "trainer/comm/transport/key.h"

namespace carrack::train {

struct Identity {
  std::shared_ptr<const Key> key;  // not null
  MemberStart self;
  std::string address = {};  // address at which others reach this process; empty: the address that listen() returns
  bool encrypts = false;     // use TLS on connections; same for all members of a job; no effect on shared memory
};

}  // namespace carrack::train
