// How a job goes, for whoever started it. On a terminal one line is drawn over, and one stays for each change of
// conditions; elsewhere, in a log, progress is a line each tenth of the way, each minute, and at the end.
#pragma once

#include <string>

#include "operator/core/job_status.h"

namespace carrack::control {

// "step 50 of 100, loss 0.25, checkpoint 40"; empty before anything is known.
std::string progress_text(const JobStatus& status);

// The condition that tells most of where the job is, as "Running (MembersRunning)"; empty before the first.
std::string condition_text(const JobStatus& status);

class ProgressLine {
 public:
  explicit ProgressLine(bool terminal) : terminal_(terminal) {}

  // What there is to print now. How the job ended is left to say to whoever sums it up.
  std::string next(const JobStatus& status, Time now);
  // What to print before anything else is.
  std::string end();

 private:
  std::string progress(const JobStatus& status, Time now);

  bool terminal_;
  bool drawn_ = false;
  std::string condition_;
  std::string progress_;  // As it was told last.
  std::int64_t tenths_ = 0;
  std::optional<Time> told_;
};

}  // namespace carrack::control
