// Composes what `carrack run` prints while a job trains. On a terminal that is one line that is redrawn, such as
//   [####......] step 40 of 100, loss 0.25, 1200 records/s, 3 s left
// Elsewhere, such as in a log, it is a line for each tenth of the steps, for each minute, and at the end. Each new
// condition of the job, and each member (process) that fails and starts again, adds a line in both cases.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "operator/core/job_status.h"
#include "operator/explain/pace.h"

namespace carrack::control {

// Returns "step 50 of 100, loss 0.25, checkpoint 40, evaluated: loss 0.3", where 40 is the step of the last checkpoint.
// Parts that are not known are left out. Empty until a step or the number of steps is reported.
std::string progress_text(const JobStatus& status);

// Returns the state of the job (headline_condition()) with its reason and message: "Failed (UserError): worker 0: ...".
// Printable; may have several lines; does not end with a line break. Empty if no condition holds yet.
std::string condition_text(const JobStatus& status);

// What the line on a terminal depends on, besides the status. The line has at most columns() - 1 characters, because a
// character in the last column begins a new line on some terminals.
struct TerminalView {
  std::function<int()> columns;  // returns the width of the terminal; called in each next() that draws the line
  std::int64_t batch = 1;        // records in a step
  std::int64_t epochs = 1;       // epochs of the whole job
};

// Prints nothing itself: the caller prints what next() and end() return. Not thread-safe.
class ProgressLine {
 public:
  // `terminal` is nullopt if the output is not a terminal. `spec` is that of the job; it explains the exit codes of
  // failed members.
  explicit ProgressLine(std::optional<TerminalView> terminal, JobSpec spec = {})
      : terminal_(std::move(terminal)), spec_(std::move(spec)) {}

  // Returns the text to print now, "" if nothing is new. Call this for each new status, or periodically, with times in
  // ascending order. The text contains its line breaks and, on a terminal, control sequences. It does not say how the
  // job ended; the caller has to print that.
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
