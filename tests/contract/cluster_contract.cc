#include "tests/contract/cluster_contract.h"

#include <mutex>
#include <set>
#include <utility>

#include "tests/operator/core/scene.h"

namespace carrack::control {

void ClusterContract::create_job() {
  spec_ = some_job();
  job_ = under_test_->create_job(spec_);
  spec_ = settled().job->spec;  // with the UID that the cluster gave
}

Reply ClusterContract::act(const Action& action) {
  const Snapshot snapshot = cluster().observe(job_, Reading::quorum);
  JobStatus status = snapshot.job->status;
  if (const auto* create = std::get_if<CreateProcess>(&action)) {
    const train::Launch& launch = create->process.launch;
    status.members[launch.member] = {launch.fence.incarnation, false, 0, {}};
  }
  EXPECT_EQ(cluster().put_status(job_, snapshot.job->version, status).result, WriteResult::done);
  return cluster().apply(job_, spec_, action);
}

Reply ClusterContract::create(const train::Member& member, int incarnation) {
  act(CreateConfig{config_name(spec_)});  // without it no process runs
  return act(CreateProcess{process_of(spec_, member, {0, incarnation})});
}

ObservedProcess ClusterContract::created(const train::Member& member) {
  create_job();
  create(member, 1);
  return settled().observed.processes.at(0);
}

namespace {

// Clusters wake from threads of their own, until they are gone.
class Woken {
 public:
  void by(Cluster& cluster) {
    cluster.watch([jobs = jobs_](const std::string& job) {
      const std::lock_guard lock(jobs->mutex);
      jobs->names.insert(job);
    });
  }
  std::set<std::string> since_last() {
    const std::lock_guard lock(jobs_->mutex);
    return std::exchange(jobs_->names, {});
  }

 private:
  struct Jobs {
    std::mutex mutex;
    std::set<std::string> names;
  };
  std::shared_ptr<Jobs> jobs_ = std::make_shared<Jobs>();
};

TEST_P(ClusterContract, ShowsNoJobWhereThereIsNone) {
  EXPECT_FALSE(cluster().observe(job_, Reading::cached).job);
  EXPECT_FALSE(cluster().observe(job_, Reading::quorum).job);
}

TEST_P(ClusterContract, ShowsAJobAsTheUserWroteIt) {
  create_job();
  const Snapshot snapshot = settled();
  EXPECT_EQ(snapshot.job->spec.config, some_job().config);
  EXPECT_EQ(snapshot.job->status, JobStatus{});
  EXPECT_TRUE(snapshot.observed.processes.empty());
  EXPECT_FALSE(snapshot.observed.has_service);
  EXPECT_FALSE(snapshot.observed.has_config);
}

TEST_P(ClusterContract, WakesForTheJobsThatAreThere) {
  create_job();
  Woken woken;
  woken.by(cluster());
  EXPECT_EQ(woken.since_last(), std::set<std::string>{job_});
}

TEST_P(ClusterContract, WakesForAJobWhoseProcessEnds) {
  const ObservedProcess process = created(worker(0));
  Woken woken;
  woken.by(cluster());
  woken.since_last();
  under_test_->exit(process, 82);
  under_test_->settle();
  EXPECT_EQ(woken.since_last(), std::set<std::string>{job_});
}

TEST_P(ClusterContract, KeepsAStatusThatIsWrittenAgainstTheVersionRead) {
  create_job();
  JobStatus status;
  status.observed_generation = 3;
  const Reply reply = cluster().put_status(job_, settled().job->version, status);
  EXPECT_EQ(reply.result, WriteResult::done);
  const Snapshot snapshot = cluster().observe(job_, Reading::quorum);
  EXPECT_EQ(snapshot.job->status, status);
  EXPECT_GE(snapshot.seen[0], reply.version);
}

TEST_P(ClusterContract, RefusesAStatusWrittenAgainstAnOlderVersionEvenIfUnchanged) {
  create_job();
  const Version read = settled().job->version;
  JobStatus status;
  status.observed_generation = 3;
  ASSERT_EQ(cluster().put_status(job_, read, status).result, WriteResult::done);
  EXPECT_EQ(cluster().put_status(job_, read, status).result, WriteResult::conflict);
}

TEST_P(ClusterContract, CreatesAProcessOnceHoweverOftenItIsAsked) {
  create_job();
  const Reply reply = create(coordinator, 1);
  EXPECT_EQ(reply.result, WriteResult::done);
  EXPECT_EQ(create(coordinator, 1).result, WriteResult::already);
  const Snapshot snapshot = settled();
  ASSERT_EQ(snapshot.observed.processes.size(), 1U);
  const ObservedProcess& process = snapshot.observed.processes.front();
  EXPECT_EQ(process.name, process_name(spec_, coordinator, {0, 1}));
  EXPECT_EQ(process.member, coordinator);
  EXPECT_EQ(process.fence, (train::Fence{0, 1}));
  EXPECT_TRUE(process.in_service);
  EXPECT_GE(snapshot.seen[static_cast<std::size_t>(Kind::process)], reply.version);
}

TEST_P(ClusterContract, ShowsEveryStartOfAMemberApart) {
  create_job();
  create(worker(0), 1);
  create(worker(0), 2);
  EXPECT_EQ(settled().observed.processes.size(), 2U);
}

TEST_P(ClusterContract, WithdrawsAProcessFromTheService) {
  create_job();
  create(coordinator, 1);
  const WithdrawProcess withdraw{process_name(spec_, coordinator, {0, 1})};
  EXPECT_EQ(act(withdraw).result, WriteResult::done);
  EXPECT_EQ(act(withdraw).result, WriteResult::already);
  EXPECT_FALSE(settled().observed.processes.front().in_service);
}

TEST_P(ClusterContract, DeletesAProcessAndIsContentWhereThereIsNone) {
  create_job();
  create(worker(0), 1);
  const DeleteProcess gone{process_name(spec_, worker(0), {0, 1}), seconds(1)};
  EXPECT_EQ(act(gone).result, WriteResult::done);
  EXPECT_TRUE(settled().observed.processes.empty());
  EXPECT_EQ(act(gone).result, WriteResult::already);
}

TEST_P(ClusterContract, CreatesTheServiceOnce) {
  create_job();
  const CreateService service{service_name(spec_)};
  EXPECT_EQ(act(service).result, WriteResult::done);
  EXPECT_EQ(act(service).result, WriteResult::already);
  EXPECT_TRUE(settled().observed.has_service);
}

TEST_P(ClusterContract, CreatesTheConfigurationOnce) {
  create_job();
  const CreateConfig config{config_name(spec_)};
  EXPECT_EQ(act(config).result, WriteResult::done);
  EXPECT_EQ(act(config).result, WriteResult::already);
  EXPECT_TRUE(settled().observed.has_config);
}

TEST_P(ClusterContract, CreatesAKeyAndIsContentWhereThereIsOne) {
  create_job();
  const CreateKey key{key_name(spec_)};
  const WriteResult first = act(key).result;
  EXPECT_TRUE(first == WriteResult::done || first == WriteResult::already);
  EXPECT_EQ(act(key).result, WriteResult::already);
}

TEST_P(ClusterContract, DeletesWhatMembersShareAndIsContentWhereThereIsNone) {
  create_job();
  act(CreateService{service_name(spec_)});
  act(CreateConfig{config_name(spec_)});
  for (const Action& gone : {Action(DeleteService{service_name(spec_)}), Action(DeleteConfig{config_name(spec_)})}) {
    EXPECT_EQ(act(gone).result, WriteResult::done);
    EXPECT_EQ(act(gone).result, WriteResult::already);
  }
  EXPECT_FALSE(settled().observed.has_service);
  EXPECT_FALSE(settled().observed.has_config);
}

TEST_P(ClusterContract, ShowsHowAProcessEnded) {
  const ObservedProcess process = created(worker(0));
  EXPECT_EQ(process.state, ProcessState::running);
  under_test_->exit(process, 82);
  const std::vector<ObservedProcess> processes = settled().observed.processes;
  ASSERT_EQ(processes.size(), 1U);
  EXPECT_EQ(processes.front().state, ProcessState::exited);
  EXPECT_EQ(processes.front().exit_code, 82);
}

TEST_P(ClusterContract, ShowsWhichSignalEndedAProcess) {
  under_test_->kill(created(worker(0)));
  const std::vector<ObservedProcess> processes = settled().observed.processes;
  ASSERT_EQ(processes.size(), 1U);
  EXPECT_EQ(processes.front().state, ProcessState::exited);
  EXPECT_EQ(processes.front().exit_code, 128 + 9);
}

TEST_P(ClusterContract, GivesAProcessThatDoesNotLeaveItsGraceAndNoMore) {
  const ObservedProcess process = created(worker(0));
  under_test_->hang(process);
  EXPECT_EQ(act(DeleteProcess{process.name, seconds(1)}).result, WriteResult::done);
  const std::vector<ObservedProcess> asked = cluster().observe(job_, Reading::quorum).observed.processes;
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked.front().state, ProcessState::running);
  EXPECT_TRUE(asked.front().terminating);
  EXPECT_TRUE(settled().observed.processes.empty());
}

}  // namespace
}  // namespace carrack::control
