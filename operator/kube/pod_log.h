// Reads the log of a pod's container named trainer, and continues it after connections that break.
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
  bool follow = false;           // waits for more until the container ends
  std::optional<int> tail = {};  // only this many last lines
  std::string after = {};        // only lines of this time (RFC 3339) and later; empty: all
  bool operator==(const LogReading&) const = default;
};

// Each line of the reply begins with its time and a blank.
ApiRequest log_call(const JobKey& pod, const LogReading& reading);

// Remembers what was read. Not thread-safe.
class PodLog {
 public:
  // `credentials` must outlive this.
  PodLog(Credentials& credentials, JobKey pod);

  // Calls on_line with each line that earlier calls have not read, without time and line break. Returns when the log
  // ends, which with `follow` is when the container ends, and also if the connection breaks or `stop` is requested.
  // Returns "", or why the log cannot be read. `tail` has an effect only until a line was read.
  std::string read(bool follow, std::optional<int> tail, const std::function<void(std::string_view)>& on_line,
                   const std::stop_token& stop);

 private:
  Client client_;
  const JobKey pod_;
  std::string last_time_;  // of the last line
  int lines_at_last_time_ = 0;
};

}  // namespace carrack::control
