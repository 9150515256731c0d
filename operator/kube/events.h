// Kubernetes events of jobs, for `kubectl describe`. An event that repeats is one object with a count. They are best
// effort: a thread of its own writes them, so they never delay a decision, and they are dropped if too many wait or the
// server refuses them.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "dataloader/mutex.h"
#include "operator/api_server/client.h"
#include "operator/core/job_status.h"

namespace carrack::control {

struct JobEvent {
  bool warning = false;
  std::string reason;
  std::string note;  // the server takes no more than the message of a condition may have, message_bytes_max
  bool operator==(const JobEvent&) const = default;
};

// The events of a change of status: conditions that hold now and did not, or hold for another reason or with another
// message. Pure.
std::vector<JobEvent> events_between(const JobStatus& before, const JobStatus& after);

class EventWriter {
 public:
  // Both must outlive this.
  EventWriter(Credentials& credentials, const Clock& clock);
  // Drops the events that wait.
  ~EventWriter();
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;

  // Queues events of the job with this key and UID; returns at once. May be called from any thread.
  void write(const std::string& job, const std::string& uid, std::vector<JobEvent> events);

 private:
  struct QueuedEvent {
    std::string job, uid;
    JobEvent event;
    Moment time;
  };
  struct Series {
    std::string name;  // of its object
    int count = 0;
  };
  void send(const QueuedEvent& queued);
  ApiRequest create_call(const QueuedEvent& queued, const std::string& name) const;
  std::string new_name(const QueuedEvent& queued);
  std::optional<QueuedEvent> next() EXCLUDES(mutex_);
  void run() EXCLUDES(mutex_);

  Client client_;
  const Clock& clock_;
  // Both are used by the thread alone.
  int written_ = 0;
  std::map<std::string, Series> series_;  // by what the event says, and of which job
  Mutex mutex_;
  ConditionVariable changed_;
  bool is_stopping_ GUARDED_BY(mutex_) = false;
  std::deque<QueuedEvent> queue_ GUARDED_BY(mutex_);
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace carrack::control
