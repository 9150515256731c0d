// The folder of a run on this machine. It belongs to one process at a time, which saves the job there so that a later
// process can go on with it, however the first one ended.
#pragma once

#include <optional>
#include <string>

#include "operator/core/job_status.h"

namespace carrack::control {

struct SavedJob {
  JobSpec spec;
  JobStatus status;
  bool operator==(const SavedJob&) const = default;
};

// For readers, who neither lock nor change a folder: the job that is saved there, nullopt if there is none. Throws
// Error (user) if it cannot be read or decoded.
std::optional<SavedJob> read_saved_job(const std::string& path);
// True while a process has the folder locked, as `carrack run` does.
bool is_run_at_work(const std::string& path);

class RunFolder {
 public:
  // Creates the folder if it does not exist, and locks it until this object is destroyed or the process ends. Throws
  // Error if it is locked already, if another user owns it, or if other users can write to it.
  explicit RunFolder(std::string path);
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  ~RunFolder();

  // Whether there is a saved job. Creates nothing.
  static bool holds_job(const std::string& path);

  const std::string& path() const { return path_; }

  // The saved job; nullopt if there is none. Throws Error if it cannot be decoded.
  std::optional<SavedJob> load() const;
  // Replaces the saved job atomically. It survives a power failure if this is the object's first save, or if the
  // attempt or a member's start has changed since the last one. Throws Error (platform) if it cannot be written.
  void save(const SavedJob& job);

 private:
  const std::string path_;
  const int lock_;
  std::optional<SavedJob> last_saved_;  // by this process
};

}  // namespace carrack::control
