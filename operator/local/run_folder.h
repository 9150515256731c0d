// The folder of a run on this machine. It belongs to one process at a time, which saves the job there. A later process
// can continue the job, however the first process ended.
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

// Returns the job that is saved in the folder; nullopt if none is. Needs no lock and changes nothing. Throws Error with
// Blame::user if the job cannot be read or decoded.
std::optional<SavedJob> read_saved_job(const std::string& path);
// Creates the folder and those above it, unless they exist. Throws Error with Blame::user if that fails.
void create_folder(const std::string& path);
// True while a process has a RunFolder for this folder. False if that cannot be found out.
bool is_run_at_work(const std::string& path);

// Not safe for several threads.
class RunFolder {
 public:
  // Creates the folder if it does not exist, and locks it until this object is destroyed or the process ends. Throws
  // Error: Blame::user if it cannot be created, if it is locked already, if another user owns it, or if other users can
  // write to it; Blame::platform if the file of the lock cannot be used.
  explicit RunFolder(std::string path);
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  ~RunFolder();

  // True if a file of a saved job exists in the folder; it may be unreadable. Creates and locks nothing.
  static bool holds_job(const std::string& path);

  const std::string& path() const { return path_; }

  // Returns read_saved_job() of this folder.
  std::optional<SavedJob> load() const;
  // Replaces the saved job atomically. It is certain to survive a power failure only if it is the first that this
  // object saves, or if its attempt or status.members differ from those saved before; then this waits for the disk.
  // Throws Error with Blame::platform if the job cannot be written.
  void save(const SavedJob& job);

 private:
  const std::string path_;
  const int lock_;
  std::optional<SavedJob> last_saved_;  // by this object
};

}  // namespace carrack::control
