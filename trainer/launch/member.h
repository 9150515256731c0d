// Identifies a process of a job: its member, and its fence.
#pragma once

#include <compare>

#include "trainer/launch/spellings.h"

namespace carrack::train {

enum class Role { coordinator, ps, worker };
template <>
inline constexpr Spelling<Role> spellings<Role>[] = {
    {Role::coordinator, "coordinator"}, {Role::ps, "ps"}, {Role::worker, "worker"}};

struct Member {
  Role role = Role::worker;
  int index = 0;
  auto operator<=>(const Member&) const = default;
};

// Orders the processes of one member within one job UID. A higher fence replaces a lower one: peers and HEAD refuse
// messages and commits of the lower one.
struct Fence {
  int attempt = 0;      // number of restarts of the whole job
  int incarnation = 0;  // number of process starts of this member within the attempt, from 1
  auto operator<=>(const Fence&) const = default;
};

}  // namespace carrack::train
