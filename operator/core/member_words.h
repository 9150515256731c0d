// The texts by which users see the members (processes) of a job. Pure.
#pragma once

#include <string>

#include "trainer/launch/member.h"

namespace carrack::control {

// Returns "worker-1": the key in status.members, the argument of `carrack logs --member`, and the host name of pods
// with strategy Own.
std::string member_name(const train::Member& member);
// Returns "worker 1", for sentences.
std::string describe(const train::Member& member);
// describe_share(Role::worker, 2, 4) -> "2 of 4 workers"; (Role::coordinator, 1, 1) -> "1 of 1 coordinator".
std::string describe_share(train::Role role, int count, int of);

}  // namespace carrack::control
