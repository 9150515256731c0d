// What happens to jobs as Kubernetes events, for `kubectl describe`. They are a courtesy: they are written by a thread
// of their own, never hold up a decision, and are dropped where there are too many or the server will not have them.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "operator/api_server/client.h"
#include "operator/core/job_status.h"

namespace carrack::control {

struct JobEvent {
  bool warning = false;
  std::string reason;
  std::string note;
  bool operator==(const JobEvent&) const = default;
};

// As much of a text as the server takes in a note, no character cut in two. Pure.
std::string note_of(std::string text);

// What a new status says that the one before it did not: conditions that have come to hold, or hold for another reason.
// Pure.
std::vector<JobEvent> events_between(const JobStatus& before, const JobStatus& after);

class EventWriter {
 public:
  EventWriter(Credentials& credentials, const Clock& clock);

  // Of the job with this key and UID.
  void write(const std::string& job, const std::string& uid, std::vector<JobEvent> events);

 private:
  struct Waiting {
    std::string job, uid;
    JobEvent event;
    Moment time;
  };
  ApiRequest request_for(const Waiting& waiting);
  void run(const std::stop_token& stop);

  Client client_;
  const Clock& clock_;
  int written_ = 0;
  std::mutex mutex_;  // of what follows
  std::condition_variable_any woken_;
  std::deque<Waiting> waiting_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace carrack::control
