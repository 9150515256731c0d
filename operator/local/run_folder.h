// The folder of a run on this machine. It belongs to one process at a time, which saves the job there. A later process
// can go on with the job, however the first process ended.
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

// Returns the job that is saved in the folder, or nullopt. Needs no lock and changes nothing. Throws Error with
// Blame::user if the job cannot be read or decoded.
std::optional<SavedJob> read_saved_job(const std::string& path);
// Creates the folder and those above it, unless they exist. Throws Error with Blame::user if it cannot.
void create_folder(const std::string& path);
// True while a process has the folder locked, as `carrack run` does.
bool is_run_at_work(const std::string& path);

class RunFolder {
 public:
  // Creates the folder if it does not exist, and locks it until this object is destroyed or the process ends. Throws
  // Error with Blame::user if it is locked already, if another user owns it, or if other users can write to it.
  explicit RunFolder(std::string path);
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  ~RunFolder();

  // True if a job is saved in the folder. Creates and locks nothing.
  static bool holds_job(const std::string& path);

  const std::string& path() const { return path_; }

  // Does read_saved_job().
  std::optional<SavedJob> load() const;
  // Replaces the saved job atomically. Only the first save, and each that changes the attempt or the status of a
  // member, is certain to survive a power failure. Throws Error with Blame::platform if the job cannot be written.
  void save(const SavedJob& job);

 private:
  const std::string path_;
  const int lock_;
  std::optional<SavedJob> last_saved_;  // by this process
};

}  // namespace carrack::control
