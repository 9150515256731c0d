#include "operator/cli/progress_line.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "operator/codec/status_fields.h"
#include "operator/core/printable.h"
#include "operator/explain/member_rows.h"

namespace carrack::control {
namespace {

constexpr std::size_t bar_width_min = 10, bar_width_max = 30;
constexpr seconds line_interval{60};

// Returns how many of `parts` equal parts of the steps are done; 0 while the number of steps is unknown.
std::int64_t parts_done(const Progress& progress, std::int64_t parts) {
  if (progress.steps <= 0) return 0;
  return std::clamp<std::int64_t>(
      static_cast<std::int64_t>(static_cast<double>(parts) * static_cast<double>(progress.step) /
                                static_cast<double>(progress.steps)),
      0, parts);
}

std::string bar(const Progress& progress, std::size_t width) {
  const auto filled = static_cast<std::size_t>(parts_done(progress, static_cast<std::int64_t>(width)));
  return "[" + std::string(filled, '#') + std::string(width - filled, '.') + "] ";
}

// Returns "" before the first step, because a loss that is reported then has no meaning.
std::string loss_text(std::int64_t step, const std::optional<double>& loss) {
  if (!loss || step == 0) return "";
  char text[32];
  std::snprintf(text, sizeof text, "loss %.4g", *loss);
  return text;
}

// Returns "" if workers wait for less than 5% of their time, because faster input would then gain little.
std::string input_wait_text(const Progress& progress) {
  if (progress.input_wait.value_or(0) < 0.05) return "";
  return "waits for data " + std::to_string(std::lround(100 * *progress.input_wait)) + "%";
}

// Returns text such as "evaluated: loss 0.1234, accuracy 0.97"; empty before the first evaluation.
std::string evaluation_text(const JobStatus& status) {
  if (!status.evaluation) return "";
  std::string text;
  const auto add = [&](const char* name, const std::optional<double>& value) {
    if (!value) return;
    char number[32];
    std::snprintf(number, sizeof number, " %.4g", *value);
    text += std::string(text.empty() ? "evaluated: " : ", ") + name + number;
  };
  add("loss", status.evaluation->loss);
  // Every evaluation has a loss. The status leaves it out only if it is not finite.
  if (text.empty()) text = "evaluated: loss nan or inf";
  add("accuracy", status.evaluation->accuracy);
  return text;
}

std::string checkpoint_text(const JobStatus& status) {
  return status.last_checkpoint ? "checkpoint " + std::to_string(status.last_checkpoint->step) : "";
}

std::string step_text(const Progress& progress) {
  std::string text = "step " + std::to_string(progress.step);
  if (progress.steps > 0) text += " of " + std::to_string(progress.steps);
  return text;
}

bool has_progress(const JobStatus& status) {
  return status.progress && (status.progress->step > 0 || status.progress->steps > 0);
}

// Returns the epoch, from 1, of the step that is being computed. All epochs have the same number of steps.
std::string epoch_text(const Progress& progress, std::int64_t epochs) {
  if (epochs <= 1 || progress.steps <= 0) return "";
  const std::int64_t epoch = std::min(parts_done(progress, epochs) + 1, epochs);
  return "epoch " + std::to_string(epoch) + " of " + std::to_string(epochs);
}

std::string records_text(double per_second) {
  char text[40];
  if (per_second < 10'000) {
    std::snprintf(text, sizeof text, "%.0f records/s", per_second);
  } else if (per_second < 10'000'000) {
    std::snprintf(text, sizeof text, "%.0fk records/s", per_second / 1'000);
  } else {
    std::snprintf(text, sizeof text, "%.0fM records/s", per_second / 1'000'000);
  }
  return text;
}

// A part of a line. If not all parts fit, joined_within() leaves out those with the highest rank first.
struct Piece {
  std::string text;
  int rank;
};

std::string joined_within(std::vector<Piece> pieces, std::size_t width) {
  std::erase_if(pieces, [](const Piece& piece) { return piece.text.empty(); });
  const auto joined = [&] {
    std::string line;
    for (const Piece& piece : pieces) line += (line.empty() ? "" : ", ") + piece.text;
    return line;
  };
  while (pieces.size() > 1 && joined().size() > width) pieces.erase(std::ranges::max_element(pieces, {}, &Piece::rank));
  return joined().substr(0, width);
}

}  // namespace

std::string progress_text(const JobStatus& status) {
  if (!has_progress(status)) return "";
  std::string text = step_text(*status.progress);
  for (const std::string& piece :
       {loss_text(status.progress->step, status.progress->loss), checkpoint_text(status), evaluation_text(status)}) {
    if (!piece.empty()) text += ", " + piece;
  }
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
  // Created always holds. It is the headline only while nothing else holds, at the start or while members start again.
  // After another headline it is no news.
  const bool is_old =
      headline_condition(status) && headline_condition(status)->type == ConditionType::created && !condition_.empty();
  const std::string failure = new_failure(status);
  if (condition.empty() || condition == condition_ || is_old) {
    return failure.empty() ? progress(status, now) : end() + failure + progress(status, now);
  }
  const std::string before = terminal_ ? end() : progress(status, now);
  condition_ = condition;
  progress_.clear();
  return before + failure + condition + "\n" + (terminal_ ? progress(status, now) : "");
}

// Returns a line about a failure since the previous call; empty if there is none, or if the condition Restarting says
// it already.
std::string ProgressLine::new_failure(const JobStatus& status) {
  const bool is_new = has_shown_ && status.last_failure && status.last_failure != failure_;
  failure_ = status.last_failure;
  has_shown_ = true;
  if (!is_new || holds(status, ConditionType::restarting)) return "";
  return printable_line(failure_->member + " has ended and starts again: " + end_phrase(spec_, *failure_)) + "\n";
}

std::string ProgressLine::progress(const JobStatus& status, Time now) {
  std::string text = progress_text(status);
  if (text.empty()) return "";
  pace_.add(status.progress->step, now);
  smooth(*status.progress);
  if (terminal_) {
    text = redrawn(status);
    if (text == progress_) return "";
    progress_ = text;
    drawn_ = true;
    return "\r" + text + "\033[K";
  }
  // Without a terminal, prints a line at each tenth of the steps, after each line_interval, and at the end.
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

// Updates the smoothed loss, which is shown because the loss of single updates varies much.
void ProgressLine::smooth(const Progress& progress) {
  constexpr double weight = 0.3;  // the weight of the new loss
  if (progress.step == 0 || (progress.step == smooth_at_ && smooth_loss_)) return;
  const bool goes_on = smooth_loss_ && progress.loss && progress.step > smooth_at_;
  smooth_loss_ = goes_on ? *smooth_loss_ + weight * (*progress.loss - *smooth_loss_) : progress.loss;
  smooth_at_ = progress.step;
}

std::string ProgressLine::redrawn(const JobStatus& status) {
  const auto width = static_cast<std::size_t>(std::max(terminal_->columns() - 1, 1));
  const Progress& progress = *status.progress;
  std::string speed, left;
  if (const auto steps = pace_.steps_per_second(); steps && !is_finished(status)) {
    speed = records_text(*steps * static_cast<double>(terminal_->batch));
    if (progress.steps > progress.step) {
      left = duration_text(static_cast<double>(progress.steps - progress.step) / *steps) + " left";
    }
  }
  // The epoch is computed from the steps of all epochs. If the job ends early, progress.steps becomes smaller than
  // that, so this uses the largest number so far.
  most_steps_ = std::max(most_steps_, progress.steps);
  Progress of_epochs = progress;
  of_epochs.steps = most_steps_;
  const std::string text =
      joined_within({{epoch_text(of_epochs, terminal_->epochs), 3},
                     {step_text(progress), 0},
                     {loss_text(progress.step, is_finished(status) ? progress.loss : smooth_loss_), 1},
                     {speed, 4},
                     {is_finished(status) ? "" : input_wait_text(progress), 5},
                     {left, 2},
                     {checkpoint_text(status), 7},
                     {evaluation_text(status), 6}},
                    width);
  const std::size_t frame = 3;  // the brackets of the bar and the blank after it
  if (progress.steps <= 0 || text.size() + bar_width_min + frame > width) return text;
  return bar(progress, std::min(bar_width_max, width - text.size() - frame)) + text;
}

std::string ProgressLine::end() {
  return std::exchange(drawn_, false) ? "\n" : "";
}

}  // namespace carrack::control
