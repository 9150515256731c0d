// The environment variables of a process of the user's own program (strategy Own), which say who it is and where the
// others are: CARRACK_ROLE=worker, CARRACK_LEADER=HOST:PORT, and TF_CONFIG for TensorFlow or MASTER_ADDR, RANK, ... for
// PyTorch. docs/reference/own_images.md lists them. Pure.
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

// Returns where a member listens, as other members reach it. That must be the same in every incarnation (start) of the
// member.
using FindAddress = std::function<HostPort(const train::Member& member)>;

// Returns the variables of the process of `member` with this fence (attempt and incarnation). They do not contain those
// of the pod template. spec.own must be set. Calls `find_address` for the member and the leader and, for TensorFlow,
// for all members.
train::Environment own_environment(const JobSpec& spec, const train::Member& member, const train::Fence& fence,
                                   const FindAddress& find_address);

// True if the variable belongs to the operator for programs of this framework, so that a manifest must not set it: all
// names that begin with CARRACK_, TF_CONFIG for TensorFlow, and MASTER_ADDR, RANK and the like for PyTorch.
bool is_own_variable(Framework framework, std::string_view name);

// Returns the port on which members of this role listen in pods: the first containerPort of the role's container named
// trainer. If that is missing or invalid, 23456 for PyTorch and 2222 for all others. spec.own must be set.
std::uint16_t own_port(const JobSpec& spec, train::Role role);

}  // namespace carrack::control
