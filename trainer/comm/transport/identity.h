// How other members know this process.
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
  bool encrypts = false;     // connections are encrypted after their opening; must be the same for all members of a job
};

}  // namespace carrack::train
