// MemberStart: identifies one process of a job to the other members, such as worker 2, attempt 0, incarnation 3. The
// member (worker 2) may have many processes, one after the other. The fence says which of them it is: `attempt` counts
// restarts of the whole job, and `incarnation` the starts of this member within the attempt.
#pragma once

#include "trainer/comm/protocol/message.pb.h"
#include "trainer/launch/member.h"

namespace carrack::train {

struct MemberStart {
  Member member;
  Fence fence;
  bool operator==(const MemberStart&) const = default;
};

// Returns the role as it is in messages and openings.
wire::Role wire_role(Role role);
// True if the Hello names the role, index, attempt and incarnation of `start`. Does not compare the UIDs of the jobs.
bool is_from(const wire::Hello& hello, const MemberStart& start);

}  // namespace carrack::train
