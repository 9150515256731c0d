// Writes Kubernetes Events about TrainingJobs, which `kubectl describe` shows. KubeCluster calls it after each write
// of a status, and for a job that it cannot decode. An event that repeats is one object with a count. Events are best
// effort: they are written on a separate thread, so that they never delay a decision, and an event is dropped if 1,000
// others wait or if it cannot be written.
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
  bool warning = false;  // the type of the Event: Warning or Normal
  std::string reason;    // one of reasons.h
  std::string note;      // the message; at most message_bytes_max bytes, since the server refuses longer ones
  bool operator==(const JobEvent&) const = default;
};

// Returns the events for a change of status: one for each condition that holds in `after`, unless it held in `before`
// with the same reason and message. A new message alone makes no event for Running. Finished has no events, since it
// repeats Succeeded or Failed. Pure.
std::vector<JobEvent> events_between(const JobStatus& before, const JobStatus& after);

// Writes events on a thread of its own.
class EventWriter {
 public:
  // Starts the thread. `credentials` and `clock` must outlive this.
  EventWriter(Credentials& credentials, const Clock& clock);
  // Drops the events that wait in the queue. Blocks until a request in progress has ended.
  ~EventWriter();
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;

  // Queues events about the job NAMESPACE/NAME with this UID, and returns immediately. May be called from any thread.
  void write(const std::string& job, const std::string& uid, std::vector<JobEvent> events);

 private:
  struct QueuedEvent {
    std::string job, uid;
    JobEvent event;
    Moment time;
  };
  struct Series {
    std::string name;  // name of the event object
    int count = 0;     // how often the event was written under this name
  };
  void send(const QueuedEvent& queued);
  ApiRequest create_call(const QueuedEvent& queued, const std::string& name) const;
  std::string new_name(const QueuedEvent& queued);
  std::optional<QueuedEvent> next() EXCLUDES(mutex_);
  void run() EXCLUDES(mutex_);

  Client client_;
  const Clock& clock_;
  // `written_` and `series_` are used only by the thread.
  int written_ = 0;
  std::map<std::string, Series> series_;  // by UID of the job, reason and note
  Mutex mutex_;
  ConditionVariable changed_;
  bool is_stopping_ GUARDED_BY(mutex_) = false;
  std::deque<QueuedEvent> queue_ GUARDED_BY(mutex_);
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace carrack::control
