// The processes of a job: its members, the name of each start and what it is launched with.
// A name contains the whole fence, so no start is ever mistaken for another; see docs/reference/kubernetes.md.
#pragma once

#include <string>
#include <vector>

#include "operator/core/job_status.h"
#include "trainer/launch/launch.h"

namespace carrack::control {

struct Process {
  std::string name;
  train::Launch launch;     // without its addresses, which the cluster fills in
  bool in_service = false;  // holds the coordinator; its Service, if the strategy has one, leads here
  std::string image = {};   // of its pod; empty: as the cluster is set
  bool operator==(const Process&) const = default;
};

// In the order of starting: the coordinator, parameter servers, workers.
std::vector<train::Member> members_of(const train::Config& config);

// The member whose success ends the job and which owns the checkpoint folder (HEAD).
train::Member leader_of(train::Strategy strategy);

// The same for the same text in every release.
std::uint64_t stable_hash(const std::string& text);

std::string service_name(const JobSpec& spec);  // empty if the strategy has no separate coordinator
std::string config_name(const JobSpec& spec);
std::string process_name(const JobSpec& spec, const train::Member& member, const train::Fence& fence);
Process process_of(const JobSpec& spec, const train::Member& member, const train::Fence& fence);

}  // namespace carrack::control
