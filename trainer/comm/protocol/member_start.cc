#include "trainer/comm/protocol/member_start.h"

#include "trainer/error.h"

namespace carrack::train {

wire::Role wire_role(Role role) {
  switch (role) {
    case Role::coordinator:
      return wire::COORDINATOR;
    case Role::ps:
      return wire::PS;
    case Role::worker:
      return wire::WORKER;
  }
  throw Error(Blame::bug, "a role without a number on the wire");
}

bool is_from(const wire::Hello& hello, const MemberStart& start) {
  const auto is = [](std::uint32_t number, int own) { return number == static_cast<std::uint32_t>(own); };
  return hello.role() == wire_role(start.member.role) && is(hello.index(), start.member.index) &&
         is(hello.attempt(), start.fence.attempt) && is(hello.incarnation(), start.fence.incarnation);
}

}  // namespace carrack::train
