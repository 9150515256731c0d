// A member that is stuck, as the coordinator concludes.
#pragma once

#include <cstdint>
#include <string>

#include "trainer/launch/member.h"

namespace carrack::train {

struct Hung {
  Member member;
  std::uint32_t incarnation = 0;  // of the process that is to be replaced
  std::string why;                // what it does, such as "has computed step 7 for 61 s, and worker 1 is done with it"
  bool operator==(const Hung&) const = default;
};

}  // namespace carrack::train
