// A job's status on a terminal: one line that is drawn over, and one that stays for each change of conditions.
#pragma once

#include <string>

#include "operator/core/job_status.h"

namespace carrack::control {

// "[#####.....] step 50 of 100, checkpoint 40"; empty before anything is known.
std::string progress_text(const JobStatus& status);

// The condition that tells most of where the job is, as "Running (MembersRunning)"; empty before the first.
std::string condition_text(const JobStatus& status);

class ProgressLine {
 public:
  // On what is no terminal nothing is drawn over: only changes of conditions are printed.
  explicit ProgressLine(bool terminal) : terminal_(terminal) {}
  ~ProgressLine();

  void show(const JobStatus& status);

 private:
  bool terminal_;
  bool drawn_ = false;
  std::string condition_;
};

}  // namespace carrack::control
