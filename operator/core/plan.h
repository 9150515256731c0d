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
  bool in_service = false;  // the Service of the job, if it has one, leads here
  std::string image = {};   // of its pod; empty: as the cluster is set
  std::string key =
      {};  // the object with the key that it gets (key_name); empty: that of releases before there was one
  bool operator==(const Process&) const = default;
};

// The members of one role.
struct RolePlan {
  train::Role role;
  int count = 0;
  int min = 0;  // as many as the job needs to run
};

// What all members of a job in a cluster are launched with. It is written once, so it has the most workers that there
// may be while the job runs, as parameter servers and coordinator refuse others.
train::Config config_of_members(const JobSpec& spec);

// The roles of the job, in the order of starting: the coordinator, parameter servers, workers. A role that the job does
// not have is left out.
std::vector<RolePlan> roles_of(const JobSpec& spec);
std::vector<train::Member> members_of(const JobSpec& spec);
// As many members of the role as the job needs to run.
int min_of(const JobSpec& spec, train::Role role);

// The member whose success is that of the job, if any one's is. In a job of the trainer it owns the checkpoint folder
// (HEAD).
train::Member leader_of(const JobSpec& spec);

// The same for the same text in every release.
std::uint64_t stable_hash(const std::string& text);

// With this the names of the job's objects begin, and those of no other job: digits-x1y2z-
std::string name_prefix(const JobSpec& spec);
// The Service that leads to the coordinator, or gives the processes of the user's own program their host names. Empty
// if the job has none.
std::string service_name(const JobSpec& spec);
// What the trainer is configured with; empty if the job does not run it.
std::string config_name(const JobSpec& spec);
// The key by which the processes of the trainer know each other; empty if the job has only one of them, or none. Nobody
// can know the name before the job exists.
std::string key_name(const JobSpec& spec);
std::string process_name(const JobSpec& spec, const train::Member& member, const train::Fence& fence);
Process process_of(const JobSpec& spec, const train::Member& member, const train::Fence& fence);

}  // namespace carrack::control
