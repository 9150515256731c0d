// The environment variables from which processes of the user's own program (strategy Own) learn who they are and where
// the others are. docs/reference/own_images.md is the reference. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "operator/core/job.h"
#include "trainer/launch/launch.h"

namespace carrack::control {

struct HostPort {
  std::string host;
  std::uint16_t port = 0;
};

// Returns where a member listens, which must be the same in every incarnation.
using FindAddress = std::function<HostPort(const train::Member& member)>;

// Returns the variables of one process. spec.own must be set. Calls `find_address` for the member and the leader and,
// depending on the framework, for all members.
train::Environment own_environment(const JobSpec& spec, const train::Member& member, const train::Fence& fence,
                                   const FindAddress& find_address);

// True if own_environment() sets the variable for programs of this framework.
bool is_own_variable(Framework framework, std::string_view name);

// The first containerPort of the role's container named trainer. If it is missing or invalid: 23456 for PyTorch, 2222
// for all others. spec.own must be set.
std::uint16_t own_port(const JobSpec& spec, train::Role role);

}  // namespace carrack::control
