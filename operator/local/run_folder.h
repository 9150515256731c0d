// RunFolder is the folder of a `carrack run` (--folder), in which that process saves spec and status of its job. Only
// one process at a time can have it, by a lock on a file. After that process has ended, even by a crash, another
// `carrack run` can continue the job.
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

// The three functions before the class are for any process, even while a run is at work in the folder.

// Returns the job that is saved in the folder; nullopt if none is, or if there is no folder. Changes nothing. Throws
// Error with Blame::user if the job cannot be read or decoded.
std::optional<SavedJob> read_saved_job(const std::string& path);
// Creates the folder and those above it, like `mkdir -p`. Throws Error with Blame::user if that fails.
void create_folder(const std::string& path);
// True while some process has a RunFolder for this folder. False if that cannot be found out, as without the right to
// read its lock.
bool is_run_at_work(const std::string& path);

// Not thread-safe.
class RunFolder {
 public:
  // Creates the folder if it does not exist, and locks it until this object is destroyed or the process ends. Throws
  // Error: Blame::user if it cannot be created, if it is locked already, if another user owns it, or if other users can
  // write to it and can enter all folders above it; Blame::platform if the file of the lock cannot be used.
  explicit RunFolder(std::string path);
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  ~RunFolder();

  // True if a file of a saved job exists in the folder; it may be unreadable. Creates and locks nothing.
  static bool holds_job(const std::string& path);

  const std::string& path() const { return path_; }

  // Returns read_saved_job() of this folder: a copy, read from the file at each call.
  std::optional<SavedJob> load() const;
  // Replaces the saved job atomically: a reader sees the old or the new one. It is also written to the disk if this is
  // the first save() of this object, or if the attempt or status.members have changed since the last save(). After a
  // power failure the folder has the last job that was written to the disk, or a later one. Throws Error with
  // Blame::platform if the job cannot be written.
  void save(const SavedJob& job);

 private:
  const std::string path_;
  const int lock_;
  std::optional<SavedJob> last_saved_;  // by this object
};

}  // namespace carrack::control
