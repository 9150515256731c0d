// Which processes and other objects a job consists of, by its spec: its members (such as worker-2), the names of all
// objects, and what each process is launched with. reconcile() decides when each is created. Not about `carrack plan`,
// which is in operator/cli/plan.h. Pure.
// The name of a process contains its attempt and incarnation, and a hash of the job's UID, so that no start is ever
// mistaken for another; see docs/reference/kubernetes.md.
#pragma once

#include <string>
#include <vector>

#include "operator/core/job_status.h"
#include "trainer/launch/launch.h"

namespace carrack::control {

// One start of a member, as the Cluster is to create it: a pod, or a child process under `carrack run`.
struct Process {
  std::string name;
  train::Launch launch;     // configuration and fence; its addresses are empty, and the cluster fills them in
  bool in_service = false;  // the job's Service, if it has one, leads to this process
  std::string image = {};   // of its pod; empty: the image that the cluster is configured with
  std::string key = {};     // key_name() if it uses that Secret; empty: the UID serves as key, as in old releases
  bool operator==(const Process&) const = default;
};

// The members of one role.
struct RolePlan {
  train::Role role;
  int count = 0;
  int min = 0;  // number of members that must run for the job to run
};

// Returns spec.config as all members of a job in a cluster get it. It is written once, and parameter servers and
// coordinator refuse workers beyond workers.max. If the manifest has only `count` (min equals max), workers.max is
// therefore raised to training.lanes (the shares of a batch; at most replicas_max), to which the job may be scaled
// later.
train::Config config_of_members(const JobSpec& spec);

// Returns the roles of the job that have members, in the order of starting: coordinator, parameter servers, workers.
// With strategy Single that is one worker.
std::vector<RolePlan> roles_of(const JobSpec& spec);
// Returns all members of the job, in the order of roles_of().
std::vector<train::Member> members_of(const JobSpec& spec);
// Returns the number of members of the role that must run for the job to run; 0 if the job does not have the role.
int min_of(const JobSpec& spec, train::Role role);

// Returns the member that leads: the coordinator, or worker 0 in a job without one. The job succeeds when it does,
// except with SuccessPolicy::all_workers. In a job of the trainer it writes the commits in the checkpoint folder.
train::Member leader_of(const JobSpec& spec);

// Returns a hash of the bytes of `text` that is the same in every release and on every machine.
std::uint64_t stable_hash(const std::string& text);

// The functions below return names of objects. An empty name means that the job has no such object.

// The beginning of all names of the job's objects: up to 30 characters of the job's name, and 5 characters of a hash of
// its UID, so that other jobs have another prefix: "digits-x4k2z-".
std::string name_prefix(const JobSpec& spec);
// The Service that leads to the coordinator or, with strategy Own, gives the processes their host names. Empty with
// strategy Single.
std::string service_name(const JobSpec& spec);
// The ConfigMap with the configuration of the trainer; empty with strategy Own.
std::string config_name(const JobSpec& spec);
// The Secret with the key by which the processes of the trainer authenticate each other; empty with strategy Own and
// Single. It contains the whole UID, so nobody can create the object before the job exists.
std::string key_name(const JobSpec& spec);
// The process, such as digits-x4k2z-worker-1-0-2: worker 1, attempt 0, incarnation 2.
std::string process_name(const JobSpec& spec, const train::Member& member, const train::Fence& fence);
// Returns the process of the start of `member` with this fence, without `image` and `key`, which the caller sets.
Process process_of(const JobSpec& spec, const train::Member& member, const train::Fence& fence);

}  // namespace carrack::control
