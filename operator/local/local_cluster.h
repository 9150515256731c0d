// The Cluster of one job on this machine. Its members are child processes that connect over Unix sockets in a private
// folder. The coordinator's address is a symbolic link to its socket, which is replaced atomically, as a Service
// changes its pod. A process that has been stopped (SIGSTOP) for 3 seconds counts as one on a dead node: it is
// replaced, but not killed. Safe for several threads.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "dataloader/mutex.h"
#include "operator/local/child.h"
#include "operator/local/private_folder.h"
#include "operator/local/run_folder.h"
#include "operator/runtime/cluster.h"

namespace carrack::control {

class LocalCluster : public Cluster {
 public:
  // Logs, configuration and the job's status go into `folder`, which must outlive this object. `trainer` is the path of
  // the program of every member that does not run the user's own. Throws Error: Blame::user if the trainer cannot be
  // executed, Blame::platform if the private folder or the key cannot be written.
  LocalCluster(SavedJob job, RunFolder& folder, std::string trainer);
  // Kills every process.
  ~LocalCluster() override;

  Snapshot observe(const std::string& job, Reading reading) override;
  Reply put_status(const std::string& job, Version read, const JobStatus& status) override;
  // A process that this creates is killed when the calling thread ends.
  Reply apply(const std::string& job, const JobSpec& spec, const Action& action) override;
  // `wake` is called while a mutex of this object is locked, so it must not call this object.
  void watch(std::function<void(const std::string& job)> wake) override;

  // The status that was put last.
  JobStatus status() const EXCLUDES(mutex_);
  // Sets spec.run.suspend in this object's spec, and wakes the loop.
  void suspend() EXCLUDES(mutex_);
  // True once the job is suspended and no process of it runs, except stopped ones.
  bool is_suspended() const EXCLUDES(mutex_);
  // Waits until the job has finished or is_suspended(), at most for `patience`.
  void wait_for_end(std::chrono::milliseconds patience) const EXCLUDES(mutex_);

 private:
  struct StartedProcess {
    Process process;
    Child child;
    std::optional<CoordinatorReport> final_report;  // once it has ended
    ObservedProcess last_observed;                  // when poll_children() last looked
    Time started_at{};
  };

  Reply act(const CreateService& service) REQUIRES(mutex_);
  Reply act(const CreateConfig& config) REQUIRES(mutex_);
  static Reply act(const CreateKey& key);
  Reply act(const DeleteService& service) REQUIRES(mutex_);
  Reply act(const DeleteConfig& config) REQUIRES(mutex_);
  Reply act(const DeleteJob& job) REQUIRES(mutex_);
  Reply act(const WithdrawProcess& process) REQUIRES(mutex_);
  Reply act(const DeleteProcess& process) REQUIRES(mutex_);
  Reply act(const CreateProcess& process) REQUIRES(mutex_);
  Reply act(const CheckProcess& process) REQUIRES(mutex_);
  // The command of a member of a job of the trainer. Sets process.launch.addresses.
  ChildCommand member_command(Process& process) REQUIRES(mutex_);
  // The command of a process of a job with strategy Own.
  ChildCommand own_program_command(const Process& process) REQUIRES(mutex_);
  bool has_no_process_after_suspension() const REQUIRES(mutex_);
  bool is_in_service(const StartedProcess& started) const;
  ObservedProcess observed(const StartedProcess& started) const;
  void watch_processes(const std::stop_token& stop);
  void wait_for_child() const EXCLUDES(mutex_);
  bool poll_children() REQUIRES(mutex_);
  void update_report() EXCLUDES(mutex_);

  RunFolder& folder_;
  const std::string trainer_;
  const PrivateFolder private_folder_;                                   // sockets and the key
  const std::string service_ = private_folder_.path() + "/coordinator";  // a link to the coordinator's socket
  const int stop_event_;  // an eventfd, readable once the watcher is to stop
  mutable Mutex mutex_;
  mutable ConditionVariable changed_;  // signals changes of status_ and of processes
  JobSpec spec_ GUARDED_BY(mutex_);
  JobStatus status_ GUARDED_BY(mutex_);
  Versions versions_ GUARDED_BY(mutex_){1, 1, 1, 1};
  bool has_service_ GUARDED_BY(mutex_) = false;
  bool has_config_ GUARDED_BY(mutex_) = false;
  int socket_count_ GUARDED_BY(mutex_) = 0;
  std::map<train::Member, std::uint16_t> own_ports_ GUARDED_BY(mutex_);  // of members that run the user's own program
  // By name; also processes that have exited and were not deleted.
  std::map<std::string, StartedProcess> started_ GUARDED_BY(mutex_);
  std::optional<CoordinatorReport> report_ GUARDED_BY(mutex_);
  std::function<void(const std::string&)> wake_ GUARDED_BY(mutex_) = [](const std::string&) {};
  std::jthread watcher_;  // last, as it uses all of the above
};

}  // namespace carrack::control
