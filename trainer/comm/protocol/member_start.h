// Which process of a job one is, as the others know it.
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
// Whether the Hello is that of this process.
bool is_from(const wire::Hello& hello, const MemberStart& start);

}  // namespace carrack::train
