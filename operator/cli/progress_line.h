// Shows the progress of a job to its user. On a terminal one line is redrawn, and each change of condition adds a line
// that stays. Elsewhere, as in a log, progress is a line for each tenth of the steps, each minute, and at the end.
#pragma once

#include <string>

#include "operator/core/job_status.h"

namespace carrack::control {

// "step 50 of 100, loss 0.25, checkpoint 40"; empty until something is known.
std::string progress_text(const JobStatus& status);

// The headline condition, as "Running (MembersRunning)", printable; empty before the first.
std::string condition_text(const JobStatus& status);

class ProgressLine {
 public:
  explicit ProgressLine(bool terminal) : terminal_(terminal) {}

  // Returns the text to print now, or "". The caller says itself how the job ended.
  std::string next(const JobStatus& status, Time now);
  // Returns the text that ends the redrawn line, or "". Print it before you print anything else.
  std::string end();

 private:
  std::string progress(const JobStatus& status, Time now);

  bool terminal_;
  bool drawn_ = false;
  std::string condition_;
  std::string progress_;  // as last printed
  std::int64_t tenths_ = 0;
  std::optional<Time> last_line_time_;
};

}  // namespace carrack::control
