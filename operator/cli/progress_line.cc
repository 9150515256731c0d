#include "operator/cli/progress_line.h"

#include <algorithm>
#include <cstdio>

#include "operator/codec/status_fields.h"

namespace carrack::control {
namespace {

constexpr std::int64_t bar_width = 30;

}  // namespace

std::string progress_text(const JobStatus& status) {
  if (!status.progress || status.progress->steps <= 0) return "";
  const std::int64_t done = status.progress->step;
  const std::int64_t all = status.progress->steps;
  const std::int64_t filled = std::min(bar_width, bar_width * done / all);
  std::string text = "[" + std::string(static_cast<std::size_t>(filled), '#') +
                     std::string(static_cast<std::size_t>(bar_width - filled), '.') + "] step " + std::to_string(done) +
                     " of " + std::to_string(all);
  if (status.last_checkpoint) text += ", checkpoint " + std::to_string(status.last_checkpoint->step);
  return text;
}

std::string condition_text(const JobStatus& status) {
  const Condition* condition = telling(status);
  if (!condition) return "";
  const std::string text = std::string(train::spelled(condition->type)) + " (" + condition->reason + ")";
  return condition->message.empty() ? text : text + ": " + condition->message;
}

ProgressLine::~ProgressLine() {
  if (drawn_) std::printf("\n");
}

void ProgressLine::show(const JobStatus& status) {
  const std::string condition = condition_text(status);
  if (condition != condition_ && !condition.empty()) {
    std::printf("%s%s\n", drawn_ ? "\n" : "", condition.c_str());
    condition_ = condition;
    drawn_ = false;
  }
  const std::string progress = progress_text(status);
  if (terminal_ && !progress.empty()) {
    std::printf("\r%s\033[K", progress.c_str());
    drawn_ = true;
  }
  std::fflush(stdout);
}

}  // namespace carrack::control
