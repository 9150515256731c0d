// The folder of a run on this machine. One process has it at a time, and it keeps there what it knows of the job, so
// that another can go on with the job however the first one ended.
#pragma once

#include <optional>
#include <string>

#include "operator/core/job_status.h"

namespace carrack::control {

struct KeptJob {
  JobSpec spec;
  JobStatus status;
  bool operator==(const KeptJob&) const = default;
};

class RunFolder {
 public:
  // Makes it if it is not there. Throws Error where another process has it; it has it until it ends, however it ends.
  explicit RunFolder(std::string path);
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  ~RunFolder();

  const std::string& path() const { return path_; }

  // Throws Error where what is kept is not to be understood.
  std::optional<KeptJob> kept() const;
  // Once this returns, the job is found as it is now; until then as it was before.
  void keep(const KeptJob& job);

 private:
  std::string path_;
  int lock_;
  std::optional<KeptJob> last_;  // Kept by this process.
};

}  // namespace carrack::control
