// Identifies a process of a job by its member, such as worker-2, and its fence, which tells a replaced process of this
// member from its successor.
#pragma once

#include <compare>

#include "trainer/launch/spellings.h"

namespace carrack::train {

enum class Role { coordinator, ps, worker };  // ps: parameter server
template <>
inline constexpr Spelling<Role> spellings<Role>[] = {
    {Role::coordinator, "coordinator"}, {Role::ps, "ps"}, {Role::worker, "worker"}};

// {Role::worker, 2} is worker-2. Its processes come and go; the member stays.
struct Member {
  Role role = Role::worker;
  int index = 0;  // from 0, within the role
  auto operator<=>(const Member&) const = default;
};

// Orders the processes of one member within one job UID, by attempt and then by incarnation. The process with the
// higher fence replaces the other: peers refuse messages of the lower fence, and HEAD (the object that names the last
// committed checkpoint) refuses its commits. Fences of different members or jobs cannot be compared.
struct Fence {
  int attempt = 0;      // number of restarts of the whole job
  int incarnation = 0;  // number of process starts of this member within the attempt, from 1
  auto operator<=>(const Fence&) const = default;
};

}  // namespace carrack::train
