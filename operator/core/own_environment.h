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

// The variables of one process. spec.own must be set.
train::Environment own_environment(const JobSpec& spec, const train::Member& member, const train::Fence& fence,
                                   const FindAddress& find_address);

// True if own_environment() sets the variable for programs of this framework.
bool is_own_variable(Framework framework, std::string_view name);

// The first containerPort of the role's container named trainer; without a valid one the usual port of the framework.
// spec.own must be set.
std::uint16_t own_port(const JobSpec& spec, train::Role role);

}  // namespace carrack::control
