// PodLog reads the log of a pod's container named trainer, for `carrack logs`. Each read() continues where the last one
// ended, even if its connection broke.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "operator/api_server/client.h"
#include "operator/kube/calls.h"

namespace carrack::control {

// The options of a request for a log.
struct LogReading {
  bool follow = false;           // the reply continues with new lines until the container ends
  std::optional<int> tail = {};  // number of last lines to read; nullopt: all
  std::string after = {};        // reads only lines of this time (RFC 3339) and later; empty: all
  bool operator==(const LogReading&) const = default;
};

// Builds the request for a log. Each line of the reply begins with its time and a blank. `pod` is the namespace and
// name of the pod, not of the job.
ApiRequest log_call(const JobKey& pod, const LogReading& reading);

// Not thread-safe.
class PodLog {
 public:
  // `credentials` must outlive this.
  PodLog(Credentials& credentials, JobKey pod);

  // Calls on_line, on this thread, with each line that earlier calls have not read, without time and line break. The
  // view is valid only during the call. Blocks until the log ends, the connection breaks, no line comes for 30 minutes
  // or `stop` is requested; with `follow` the log ends when the container ends. Returns "" if the server has ended the
  // log after a whole line, no line came for 30 minutes or `stop` was requested. Otherwise returns a message, also if
  // the connection broke between two lines. `tail` is the number of last lines to read, nullopt for all; it has no
  // effect once a line was read.
  std::string read(bool follow, std::optional<int> tail, const std::function<void(std::string_view)>& on_line,
                   const std::stop_token& stop);

 private:
  Client client_;
  const JobKey pod_;
  std::string last_time_;       // of the last line that was read; empty: none was
  int lines_at_last_time_ = 0;  // number of lines with this time that were read
};

}  // namespace carrack::control
