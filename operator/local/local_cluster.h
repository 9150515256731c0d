// LocalCluster implements Cluster (operator/runtime/cluster.h) for `carrack run`: it runs the members of one job as
// child processes of this process.
// - Members of the trainer connect over Unix sockets in a private folder. The address of the coordinator is a symbolic
//   link to its socket. It plays the part of a Service: the link is replaced when a new coordinator starts.
// - A process that has been stopped (SIGSTOP) for 3 seconds is treated like one on a lost node: another process
//   replaces it, but it is not killed.
// Thread-safe.
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
  // the trainer, the program of every member that does not run the user's program; it must exist even if no member uses
  // it. Starts a thread, but no member. Throws Error: Blame::user if the trainer cannot be executed or the folder of
  // logs cannot be created, Blame::platform if the private folder or the key cannot be written.
  LocalCluster(SavedJob job, RunFolder& folder, std::string trainer);
  // Kills all processes of the job, and waits for their end.
  ~LocalCluster() override;

  // Returns a Snapshot without a job if `job` is not the name of this job. `reading` has no effect.
  Snapshot observe(const std::string& job, Reading reading) override;
  // Saves the status in the folder. Throws Error with Blame::platform if it cannot be written.
  Reply put_status(const std::string& job, Version read, const JobStatus& status) override;
  // Acts on the only job, whatever `job` is. A process that this creates is killed when the calling thread ends, so
  // call it on a thread that lasts as long as the job. Throws nothing: an error becomes a reply with `refused`.
  Reply apply(const std::string& job, const JobSpec& spec, const Action& action) override;
  // `wake` is called here, in suspend(), and on a thread of this object. It is called while a mutex of this object is
  // locked, so it must not call this object. It must not throw or be empty.
  void watch(std::function<void(const std::string& job)> wake) override;

  // Returns the status of the last put_status(); before that, the status of the SavedJob.
  JobStatus status() const EXCLUDES(mutex_);
  // Begins to stop the job: sets spec.run.suspend in this object's spec, which is saved with the next status, and calls
  // the callback of watch(). The loop then drains the job. Does not wait for that.
  void suspend() EXCLUDES(mutex_);
  // True once the job is suspended and no process of it runs, not counting processes that are stopped (SIGSTOP).
  bool is_suspended() const EXCLUDES(mutex_);
  // Blocks until the job has finished or is_suspended(), but at most for `patience`.
  void wait_for_end(std::chrono::milliseconds patience) const EXCLUDES(mutex_);

 private:
  struct StartedProcess {
    Process process;
    Child child;
    std::optional<CoordinatorReport> final_report;  // set once a coordinator has ended, if it has written one
    ObservedProcess last_observed;                  // as it was at the last poll_children()
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
  // Returns the command of a member, for other strategies than Own. Sets process.launch.addresses, and directs the
  // coordinator's address to the process if that is in service.
  ChildCommand member_command(Process& process) REQUIRES(mutex_);
  // Returns the command of a member, for strategy Own.
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
  // Processes by name, including those that have exited and were not deleted.
  std::map<std::string, StartedProcess> started_ GUARDED_BY(mutex_);
  std::optional<CoordinatorReport> report_ GUARDED_BY(mutex_);
  std::function<void(const std::string&)> wake_ GUARDED_BY(mutex_) = [](const std::string&) {};
  std::jthread watcher_;  // last, as it uses all of the above
};

}  // namespace carrack::control
