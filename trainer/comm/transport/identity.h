// By what other members know this process.
#pragma once

#include <memory>
#include <string>

#include "trainer/comm/protocol/member_start.h"
#include "trainer/comm/transport/key.h"

namespace carrack::train {

struct Identity {
  std::shared_ptr<const Key> key;  // not null
  MemberStart self;
  std::string address = {};  // at which others reach it, if that is not the one which listen() returns
  bool encrypts = false;     // what follows an opening, as all members of the job do, or none
};

}  // namespace carrack::train
