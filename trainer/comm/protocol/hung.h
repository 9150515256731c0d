// A member that must be replaced, because the coordinator has concluded that it is stuck or cannot be reached.
#pragma once

#include <cstdint>
#include <string>

#include "trainer/launch/member.h"

namespace carrack::train {

struct Hung {
  Member member;
  std::uint32_t incarnation = 0;  // incarnation of the process to replace
  std::string why;  // a clause without a subject, such as "has computed step 7 for 61 s, and others are done"
  bool operator==(const Hung&) const = default;
};

}  // namespace carrack::train
