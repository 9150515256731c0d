#include "operator/kube/pod_log.h"

#include <algorithm>
#include <utility>

#include "operator/error.h"
#include "operator/kube/names.h"

namespace carrack::control {
namespace {

// The timeout is long, since a member may print nothing for a long time.
constexpr ClientTimeouts of_logs{.idle = std::chrono::minutes(30)};

}  // namespace

ApiRequest log_call(const JobKey& pod, const LogReading& reading) {
  ApiRequest request{.path = "/api/v1/namespaces/" + pod.name_space + "/pods/" + pod.name + "/log",
                     .query = {{"container", std::string(trainer_container)}, {"timestamps", "true"}},
                     .accept = "application/json, */*"};
  if (reading.follow) request.query.emplace_back("follow", "true");
  if (reading.tail) request.query.emplace_back("tailLines", std::to_string(*reading.tail));
  if (!reading.after.empty()) request.query.emplace_back("sinceTime", reading.after);
  return request;
}

PodLog::PodLog(Credentials& credentials, JobKey pod) : client_(credentials, of_logs), pod_(std::move(pod)) {}

std::string PodLog::read(bool follow, std::optional<int> tail, const std::function<void(std::string_view)>& on_line,
                         const std::stop_token& stop) {
  const LogReading reading{follow, last_time_.empty() ? tail : std::nullopt, last_time_};
  // `sinceTime` works in whole seconds, so the server repeats lines that were read. The repeated lines are those of
  // earlier times than last_time_, and the first lines_at_last_time_ lines of that time. Times in one log have the same
  // width, so they compare as text.
  int known = lines_at_last_time_;
  bool repeats = !last_time_.empty();
  const auto pass_on = [&](std::string_view line) {
    const std::size_t blank = std::min(line.find(' '), line.size());
    const std::string_view time = line.substr(0, blank);
    repeats = repeats && (time < last_time_ || (time == last_time_ && known-- > 0));
    if (repeats) return true;
    lines_at_last_time_ = time == last_time_ ? lines_at_last_time_ + 1 : 1;
    last_time_ = time;
    on_line(line.substr(std::min(blank + 1, line.size())));
    return true;
  };
  try {
    const ApiReply reply = client_.stream(log_call(pod_, reading), pass_on, stop);
    const bool is_stopped = stop.stop_requested();
    return is_success(reply) || is_stopped ? "" : status_of(reply).message;
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace carrack::control
