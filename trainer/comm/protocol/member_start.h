// Identifies one process of a job to the other members: its member, and the attempt and incarnation of the process.
#pragma once

#include "trainer/comm/protocol/message.pb.h"
#include "trainer/launch/member.h"

namespace carrack::train {

struct MemberStart {
  Member member;
  Fence fence;
  bool operator==(const MemberStart&) const = default;
};

wire::Role wire_role(Role role);
// True if the Hello names the role, index, attempt and incarnation of `start`. Does not compare the UIDs of the jobs.
bool is_from(const wire::Hello& hello, const MemberStart& start);

}  // namespace carrack::train
