#include "operator/cli/progress_line.h"

#include <cstdio>

namespace carrack::control {
namespace {

constexpr std::int64_t bar_width = 30;

constexpr const char* name_of(ConditionType type) {
  switch (type) {
    case ConditionType::created:
      return "Created";
    case ConditionType::running:
      return "Running";
    case ConditionType::restarting:
      return "Restarting";
    case ConditionType::suspended:
      return "Suspended";
    case ConditionType::succeeded:
      return "Succeeded";
    case ConditionType::failed:
      return "Failed";
    case ConditionType::finished:
      return "Finished";
  }
  return "";
}

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
  // The last that holds says most; Finished only repeats the one before it.
  std::string text;
  for (const Condition& condition : status.conditions) {
    if (!condition.holds || condition.type == ConditionType::finished) continue;
    text = std::string(name_of(condition.type)) + " (" + condition.reason + ")";
    if (!condition.message.empty()) text += ": " + condition.message;
  }
  return text;
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
