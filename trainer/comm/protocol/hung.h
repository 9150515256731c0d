// Hung: a worker or parameter server whose process must be replaced, because the coordinator has concluded that it is
// stuck or cannot be reached. The coordinator reports it at /progress, and the operator or `carrack run` ends the
// process and starts another one, unless it has done so for a member of the job shortly before.
#pragma once

#include <cstdint>
#include <string>

#include "trainer/launch/member.h"

namespace carrack::train {

struct Hung {
  Member member;
  std::uint32_t incarnation = 0;  // which process of the member: if a later one runs already, nothing is to be done
  std::string why;  // a clause without a subject, such as "has computed step 7 for 61 s, and others are done"
  bool operator==(const Hung&) const = default;
};

}  // namespace carrack::train
