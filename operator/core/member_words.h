// Names and descriptions of members. Pure.
#pragma once

#include <string>

#include "trainer/launch/member.h"

namespace carrack::control {

// "worker-1": the key in the status, the argument of --member, and the host name of pods with strategy Own.
std::string member_name(const train::Member& member);
// "worker 1", for sentences.
std::string describe(const train::Member& member);
// "2 of 4 workers"; "1 of 1 coordinator".
std::string describe_share(train::Role role, int count, int of);

}  // namespace carrack::control
