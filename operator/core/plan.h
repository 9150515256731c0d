// A spec as processes: which members a job has, what each start of one is called, and what it is told.
// Names carry the whole fence, so that no start is ever mistaken for another; see docs/reference/trainingjob.md.
#pragma once

#include <string>
#include <vector>

#include "operator/core/job_status.h"
#include "trainer/launch/launch.h"

namespace carrack::control {

struct Process {
  std::string name;
  train::Launch launch;     // the cluster fills in its addresses
  bool in_service = false;  // the coordinator is in it: its Service leads here, where the strategy has one
  bool operator==(const Process&) const = default;
};

// In the order of starting: the coordinator, parameter servers, workers.
std::vector<train::Member> members_of(const train::Config& config);

// Whose success is the job's, and who claims HEAD.
train::Member leader_of(train::Strategy strategy);

std::string service_name(const JobSpec& spec);  // empty where the strategy has no coordinator of its own
std::string config_name(const JobSpec& spec);
std::string process_name(const JobSpec& spec, const train::Member& member, const train::Fence& fence);
Process process_of(const JobSpec& spec, const train::Member& member, const train::Fence& fence);

}  // namespace carrack::control
