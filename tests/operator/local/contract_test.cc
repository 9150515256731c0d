#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "operator/local/local_cluster.h"
#include "tests/contract/cluster_contract.h"
#include "tests/dataloader/storage/temporary_folder.h"

namespace carrack::control {
namespace {

// A member without a job: it tells who it is, and does what files named after it say.
constexpr const char* member_program = R"sh(#!/bin/sh
me="$(dirname "$0")/$CARRACK_ROLE-$CARRACK_INDEX-$CARRACK_INCARNATION"
echo $$ > "$me.new"
mv "$me.new" "$me.pid"
until [ -e "$me.exit" ]; do
  if [ -e "$me.hang" ]; then
    trap '' TERM
    mv "$me.hang" "$me.hangs"
  fi
  sleep 0.01
done
exit "$(cat "$me.exit")"
)sh";

void wait_until(const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("what was awaited did not come");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

class ClusterOnThisMachine : public ClusterUnderTest {
 public:
  // Before there is a job the machine runs another's.
  Cluster& cluster() override {
    if (!cluster_) {
      JobSpec other;
      other.name = "other";
      start(other);
    }
    return *cluster_;
  }

  std::string create_job(const JobSpec& spec) override {
    start(spec);
    return spec.name;
  }

  void settle() override {
    wait_until([this] {
      const std::vector<ObservedProcess> processes = all();
      return std::ranges::all_of(processes, [this](const ObservedProcess& process) {
        return !process.terminating && std::filesystem::exists(file(process, "pid"));
      });
    });
  }

  void exit(const ObservedProcess& process, int code) override {
    std::ofstream(file(process, "new")) << code << "\n";
    std::filesystem::rename(file(process, "new"), file(process, "exit"));
    wait_until([&] { return all().front().state == ProcessState::exited; });
  }

  void kill(const ObservedProcess& process) override {
    int pid = 0;
    std::ifstream(file(process, "pid")) >> pid;
    ::kill(pid, SIGKILL);
    wait_until([&] { return all().front().state == ProcessState::exited; });
  }

  void hang(const ObservedProcess& process) override {
    std::ofstream(file(process, "hang")) << "\n";
    wait_until([&] { return std::filesystem::exists(file(process, "hangs")); });
  }

 private:
  void start(const JobSpec& spec) {
    const std::string program = folder_.path() + "/member";
    std::ofstream(program) << member_program;
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    job_ = spec.name;
    cluster_ = std::make_unique<LocalCluster>(SavedJob{spec, {}}, run_, program);
  }

  std::vector<ObservedProcess> all() { return cluster().observe(job_, Reading::quorum).observed.processes; }

  std::string file(const ObservedProcess& process, const std::string& what) const {
    return folder_.path() + "/" + std::string(train::spelled(process.member.role)) + "-" +
           std::to_string(process.member.index) + "-" + std::to_string(process.fence.incarnation) + "." + what;
  }

  const data::TemporaryFolder folder_;
  RunFolder run_{folder_.path() + "/run"};
  std::string job_;
  std::unique_ptr<LocalCluster> cluster_;
};

INSTANTIATE_TEST_SUITE_P(Local, ClusterContract,
                         testing::Values(NewCluster([] { return std::make_unique<ClusterOnThisMachine>(); })));

}  // namespace
}  // namespace carrack::control
