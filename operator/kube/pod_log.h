// PodLog reads the log of a pod's container named trainer. A next read() continues where the last one ended, even if
// its connection broke.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "operator/api_server/client.h"
#include "operator/kube/calls.h"

namespace carrack::control {

struct LogReading {
  bool follow = false;           // the reply continues until the container ends
  std::optional<int> tail = {};  // number of last lines to read; nullopt: all
  std::string after = {};        // reads only lines of this time (RFC 3339) and later; empty: all
  bool operator==(const LogReading&) const = default;
};

// Requests a log. Each line of the reply begins with its time and a blank. `pod` is the namespace and name of the pod.
ApiRequest log_call(const JobKey& pod, const LogReading& reading);

// Not thread-safe.
class PodLog {
 public:
  // `credentials` must outlive this.
  PodLog(Credentials& credentials, JobKey pod);

  // Calls on_line, on this thread, with each line that earlier calls have not read, without time and line break. The
  // view is valid only during the call. Returns when the log ends, the connection breaks or `stop` is requested; with
  // `follow` the log ends when the container ends. Returns "", or a message that says why the log cannot be read.
  // `tail` (LogReading::tail) has an effect only until a line was read.
  std::string read(bool follow, std::optional<int> tail, const std::function<void(std::string_view)>& on_line,
                   const std::stop_token& stop);

 private:
  Client client_;
  const JobKey pod_;
  std::string last_time_;       // of the last line that was read; empty: none was
  int lines_at_last_time_ = 0;  // number of lines with this time that were read
};

}  // namespace carrack::control
