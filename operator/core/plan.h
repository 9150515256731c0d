// The processes of a job: its members, the name of each start and what it is launched with. Pure.
// A name contains the whole fence, so no start is ever mistaken for another; see docs/reference/kubernetes.md.
#pragma once

#include <string>
#include <vector>

#include "operator/core/job_status.h"
#include "trainer/launch/launch.h"

namespace carrack::control {

// One start of a member, as it is to be created.
struct Process {
  std::string name;
  train::Launch launch;     // its addresses are empty; the cluster fills them in
  bool in_service = false;  // the job's Service, if it has one, leads to this process
  std::string image = {};   // of its pod; empty: the image that the cluster is configured with
  std::string key = {};     // key_name() if it mounts that object; empty: the UID serves as key, as in old releases
  bool operator==(const Process&) const = default;
};

// The members of one role.
struct RolePlan {
  train::Role role;
  int count = 0;
  int min = 0;  // how many of them the job needs to run
};

// The configuration that all members of a job in a cluster are launched with. It is written once, and parameter servers
// and coordinator refuse workers beyond workers.max. So if the manifest gives only `count`, workers.max is raised to
// the largest number of workers to which the job may be scaled later.
train::Config config_of_members(const JobSpec& spec);

// The roles of the job that have members, in the order of starting: coordinator, parameter servers, workers.
std::vector<RolePlan> roles_of(const JobSpec& spec);
// All members of the job, in the order of roles_of().
std::vector<train::Member> members_of(const JobSpec& spec);
// The number of members of the role that the job needs to run; 0 if it does not have the role.
int min_of(const JobSpec& spec, train::Role role);

// The leader. Its success is that of the job, except with SuccessPolicy::all_workers. In a job of the trainer it owns
// the checkpoint folder (HEAD).
train::Member leader_of(const JobSpec& spec);

// A hash that is the same in every release.
std::uint64_t stable_hash(const std::string& text);

// All names of the job's objects begin with this, and no names of other jobs: digits-x1y2z-
std::string name_prefix(const JobSpec& spec);
// The Service that leads to the coordinator, or that gives the processes of strategy Own their host names. Empty if the
// job has none.
std::string service_name(const JobSpec& spec);
// The object with the configuration of the trainer; empty with strategy Own.
std::string config_name(const JobSpec& spec);
// The object with the key by which the processes of the trainer authenticate each other; empty with strategy Own and
// Single. It contains the UID, so nobody can create it before the job exists.
std::string key_name(const JobSpec& spec);
std::string process_name(const JobSpec& spec, const train::Member& member, const train::Fence& fence);
Process process_of(const JobSpec& spec, const train::Member& member, const train::Fence& fence);

}  // namespace carrack::control
