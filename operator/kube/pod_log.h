// The log of a pod's trainer, followed over connections that break.
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
  bool follow = false;           // wait for more until the container ends
  std::optional<int> tail = {};  // only the last lines
  std::string after = {};        // only lines of this time and later, in RFC 3339
  bool operator==(const LogReading&) const = default;
};

// The lines of the reply begin with their time and a blank.
ApiRequest log_call(const JobKey& pod, const LogReading& reading);

// For one thread.
class PodLog {
 public:
  // `credentials` must outlive this.
  PodLog(Credentials& credentials, JobKey pod);

  // Calls on_line with each line that it was not called with before, without its line break. Returns once the log ends,
  // which for `follow` is with the container; also if the connection breaks or `stop` is requested. Returns "", or why
  // the log cannot be read. `tail` counts for the first call alone.
  std::string read(bool follow, std::optional<int> tail, const std::function<void(std::string_view)>& on_line,
                   const std::stop_token& stop);

 private:
  Client client_;
  const JobKey pod_;
  std::string last_time_;  // of the last line
  int lines_at_last_time_ = 0;
};

}  // namespace carrack::control
