// Shows the progress of a job to its user. On a terminal one line is redrawn, which always fits its width, and each
// change of condition adds a line that stays. Elsewhere, as in a log, progress is a line for each tenth of the steps,
// each minute, and at the end.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "operator/core/job_status.h"
#include "operator/explain/pace.h"

namespace carrack::control {

// "step 50 of 100, loss 0.25, checkpoint 40"; empty until something is known.
std::string progress_text(const JobStatus& status);

// The headline condition, as "Running (MembersRunning)", printable; empty before the first.
std::string condition_text(const JobStatus& status);

// What a terminal shows besides. It is drawn on one line of at most `columns` - 1 characters, as the last column of
// some terminals begins a new line.
struct TerminalView {
  std::function<int()> columns;  // the width of the terminal, whenever a line is drawn
  std::int64_t batch = 1;        // records in a step
  std::int64_t epochs = 1;       // of the whole job
};

class ProgressLine {
 public:
  // nullopt: not a terminal.
  explicit ProgressLine(std::optional<TerminalView> terminal, JobSpec spec = {})
      : terminal_(std::move(terminal)), spec_(std::move(spec)) {}

  // Returns the text to print now, or "". The caller says itself how the job ended.
  std::string next(const JobStatus& status, Time now);
  // Returns the text that ends the redrawn line, or "". Print it before you print anything else.
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
  std::int64_t smooth_at_ = 0;  // the step
  std::int64_t most_steps_ = 0;
  bool drawn_ = false;
  std::string condition_;
  std::optional<LastFailure> failure_;  // that there was when the status was shown last
  bool has_shown_ = false;
  std::string progress_;  // as last printed
  std::int64_t tenths_ = 0;
  std::optional<Time> last_line_time_;
};

}  // namespace carrack::control
