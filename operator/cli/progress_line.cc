#include "operator/cli/progress_line.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "operator/codec/status_fields.h"
#include "operator/core/printable.h"

namespace carrack::control {
namespace {

constexpr std::int64_t bar_width = 30;
constexpr seconds line_interval{60};

// How many of `parts` equal parts of the steps are done; 0 while the number of steps is unknown.
std::int64_t parts_done(const Progress& progress, std::int64_t parts) {
  if (progress.steps <= 0) return 0;
  return std::clamp<std::int64_t>(
      static_cast<std::int64_t>(static_cast<double>(parts) * static_cast<double>(progress.step) /
                                static_cast<double>(progress.steps)),
      0, parts);
}

std::string bar(const Progress& progress) {
  if (progress.steps <= 0) return "";
  const auto filled = static_cast<std::size_t>(parts_done(progress, bar_width));
  return "[" + std::string(filled, '#') + std::string(static_cast<std::size_t>(bar_width) - filled, '.') + "] ";
}

}  // namespace

std::string progress_text(const JobStatus& status) {
  if (!status.progress || (status.progress->step <= 0 && status.progress->steps <= 0)) return "";
  std::string text = "step " + std::to_string(status.progress->step);
  if (status.progress->steps > 0) text += " of " + std::to_string(status.progress->steps);
  if (status.progress->loss) {
    char loss[32];
    std::snprintf(loss, sizeof loss, ", loss %.4g", *status.progress->loss);
    text += loss;
  }
  if (status.last_checkpoint) text += ", checkpoint " + std::to_string(status.last_checkpoint->step);
  return text;
}

std::string condition_text(const JobStatus& status) {
  const Condition* condition = headline_condition(status);
  if (!condition) return "";
  std::string text(train::spelled(condition->type));
  if (condition->reason != text) text += " (" + condition->reason + ")";
  return printable(condition->message.empty() ? text : text + ": " + condition->message);
}

std::string ProgressLine::next(const JobStatus& status, Time now) {
  if (is_finished(status)) return progress(status, now);
  const std::string condition = condition_text(status);
  // Between two starts only Created may hold; that is not a new state of the job.
  const bool is_old =
      headline_condition(status) && headline_condition(status)->type == ConditionType::created && !condition_.empty();
  if (condition.empty() || condition == condition_ || is_old) return progress(status, now);
  const std::string before = terminal_ ? end() : progress(status, now);
  condition_ = condition;
  progress_.clear();
  return before + condition + "\n" + (terminal_ ? progress(status, now) : "");
}

std::string ProgressLine::progress(const JobStatus& status, Time now) {
  std::string text = progress_text(status);
  if (text.empty()) return "";
  if (terminal_) {
    if (text == progress_) return "";
    progress_ = text;
    drawn_ = true;
    return "\r" + bar(*status.progress) + text + "\033[K";
  }
  const std::int64_t tenths = parts_done(*status.progress, 10);
  const bool is_time = last_line_time_ && (tenths > tenths_ || now >= *last_line_time_ + line_interval);
  const bool is_due = (is_time || is_finished(status)) && text != progress_;
  if (last_line_time_ && !is_due) return "";
  last_line_time_ = now;
  tenths_ = tenths;
  if (!is_due) return "";
  progress_ = text;
  return text + "\n";
}

std::string ProgressLine::end() {
  return std::exchange(drawn_, false) ? "\n" : "";
}

}  // namespace carrack::control
