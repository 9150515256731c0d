// How members are put into words. Pure.
#pragma once

#include <string>

#include "trainer/launch/member.h"

namespace carrack::control {

// "worker-1": in the status, for --member, and the host of a pod of the user's own program, in every incarnation.
std::string member_name(const train::Member& member);
// "worker 1", in sentences.
std::string describe(const train::Member& member);
// "2 of 4 workers"; "1 of 1 coordinator".
std::string describe_share(train::Role role, int count, int of);

}  // namespace carrack::control
