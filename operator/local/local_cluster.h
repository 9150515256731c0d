// A cluster on this machine: the members of one job as processes, found over Unix sockets in a private folder.
// The coordinator's name is a link to its socket; a link changes in one step, as a Service's selection does.
// A process that was stopped and stays so counts as one on a dead node: it is given up, not ended.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "operator/local/child.h"
#include "operator/local/private_folder.h"
#include "operator/local/run_folder.h"
#include "operator/runtime/cluster.h"

namespace carrack::control {

class LocalCluster : public Cluster {
 public:
  // `folder` is given logs and configuration, and keeps the job's status; `trainer` is the program.
  LocalCluster(KeptJob job, RunFolder& folder, std::string trainer);
  // Ends every process, at once.
  ~LocalCluster() override;

  Snapshot observe(const std::string& job, Reading reading) override;
  Reply put_status(const std::string& job, Version read, const JobStatus& status) override;
  Reply apply(const std::string& job, const JobSpec& spec, const Action& action) override;
  void watch(std::function<void(const std::string& job)> wake) override;

  // For whoever shows the run. Safe from any thread.
  JobStatus status() const;
  // Has the job drained, as `spec.suspend: true` does.
  void suspend();
  // It is suspended, and nothing of it runs any more.
  bool is_suspended() const;

 private:
  struct Started {
    Process process;
    Child child;
    std::string socket;
    std::string progress;  // The address of /progress; the coordinator's alone.
    ObservedProcess last_seen;
  };

  Reply act(const CreateService& service);
  Reply act(const CreateConfig& config);
  Reply act(const WithdrawProcess& process);
  Reply act(const DeleteProcess& process);
  Reply act(const CreateProcess& process);
  bool serves(const Started& one) const;
  ObservedProcess seen(const Started& one) const;
  void look_around(const std::stop_token& stop);
  bool poll_children();
  void read_progress();

  RunFolder& folder_;
  std::string trainer_;
  const PrivateFolder private_folder_;  // Sockets and the key.
  mutable std::mutex mutex_;            // Of all below.
  JobSpec spec_;
  JobStatus status_;
  Versions versions_{1, 1, 1, 1};
  bool has_service_ = false;
  bool has_config_ = false;
  int sockets_ = 0;
  std::map<std::string, Started> started_;  // By name; also those that ended by themselves.
  std::optional<CoordinatorReport> report_;
  std::function<void(const std::string&)> wake_ = [](const std::string&) {};
  std::jthread watcher_;  // Last: it uses all of the above.
};

}  // namespace carrack::control
