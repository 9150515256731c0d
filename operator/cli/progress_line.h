// Composes the text that shows the progress of a job to its user. Each new condition, and each member that fails and
// starts again, adds a line. On a terminal, progress is one line that is redrawn and always fits the width. Elsewhere,
// such as in a log, it is a line for each tenth of the steps, for each minute, and at the end.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "operator/core/job_status.h"
#include "operator/explain/pace.h"

namespace carrack::control {

// "step 50 of 100, loss 0.25, checkpoint 40, evaluated: loss 0.3". Parts that are not known are left out. Empty until a
// step or the number of steps is reported.
std::string progress_text(const JobStatus& status);

// The headline condition (headline_condition()) and its message, if it has one: "Failed (UserError): worker 0: ...".
// Printable; may have several lines. Empty if no condition holds yet.
std::string condition_text(const JobStatus& status);

// What the line on a terminal depends on. The line has at most columns() - 1 characters, because a character in the
// last column begins a new line on some terminals.
struct TerminalView {
  std::function<int()> columns;  // returns the width of the terminal; called in each next() that draws the line
  std::int64_t batch = 1;        // records in a step
  std::int64_t epochs = 1;       // epochs of the whole job
};

class ProgressLine {
 public:
  // `terminal` is nullopt if the output is not a terminal. `spec` is that of the job; it explains the exit codes of
  // failed members.
  explicit ProgressLine(std::optional<TerminalView> terminal, JobSpec spec = {})
      : terminal_(std::move(terminal)), spec_(std::move(spec)) {}

  // Returns the text to print now, or "". Call this again and again, with times in ascending order. The text does not
  // say how the job ended; the caller has to print that.
  std::string next(const JobStatus& status, Time now);
  // Returns the line break that ends the redrawn line, or "" if none is drawn. Print it before you print something
  // else.
  std::string end();

 private:
  std::string progress(const JobStatus& status, Time now);
  std::string new_failure(const JobStatus& status);
  void smooth(const Progress& progress);
  std::string redrawn(const JobStatus& status);

  std::optional<TerminalView> terminal_;
  JobSpec spec_;
  Pace pace_;
  std::optional<double> smooth_loss_;
  std::int64_t smooth_at_ = 0;  // the step of smooth_loss_
  std::int64_t most_steps_ = 0;
  bool drawn_ = false;
  std::string condition_;
  std::optional<LastFailure> failure_;  // the last failure at the previous next()
  bool has_shown_ = false;
  std::string progress_;  // the progress that was printed last
  std::int64_t tenths_ = 0;
  std::optional<Time> last_line_time_;
};

}  // namespace carrack::control
