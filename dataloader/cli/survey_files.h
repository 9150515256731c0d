// Reads many TFRecord files on several threads and summarizes their records: the common part of `carrack data inspect`,
// `stats` and `verify`. `convert` counts records with it, and `bench` and `explain` find features with it. Shows a
// progress bar if standard error is a terminal.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "dataloader/cli/progress.h"
#include "dataloader/cli/request.h"
#include "dataloader/cli/summary/survey.h"
#include "dataloader/storage/storages.h"

namespace carrack::data::cli {

// A file in a storage, whose read() also adds to `progress` the bytes that are read for the first time, and throws
// Interrupted if an interrupt was recorded (defer_interrupts()). Read it from front to back. `storage` and `progress`
// must outlive this object.
class TrackedFile final : public ByteSource {
 public:
  TrackedFile(Storage& storage, const Listed& file, Progress& progress)
      : ByteSource(file.url, file.stat), file_(storage, file.url, file.stat), progress_(progress) {}

  bool is_remote() const override { return file_.is_remote(); }
  ReadResult read(std::span<const Slice> slices) const override;

 private:
  StoredObject file_;
  Progress& progress_;
  mutable std::atomic<std::uint64_t> end_ = 0;  // the end of the part that was read and added to the progress
};

// Returns --threads, or without it the number of CPUs that this process may use, rounded up.
unsigned thread_count(const Request& request);

struct SurveyOptions {
  // The limit for all files together. Each file gets an equal part of it, but at least one record and 256 KiB. The
  // first file that is not empty is read at least up to the end of its first record, because otherwise nothing would be
  // found in records that are longer than these parts. stop_at_damage and at_least_one are ignored.
  SurveyLimit limit = {};
  bool summarize = true;                 // if false, Survey::summary and Survey::columns stay empty
  std::optional<std::string> only = {};  // summarizes only this feature or value (selection.h); nullopt: all features
  // Called for each file that could be read, in the order of the files, from any of the threads, but one call at a
  // time. An exception that it throws ends survey_files(). Must not be empty.
  std::function<void(const FileSurvey&)> on_file = [](const FileSurvey&) {};
};

// Reads the files of `request.inputs` with thread_count() threads. A file that cannot be read is reported on standard
// error and left out of the result, and Survey::all_read is then false. Damage is part of the result. Throws Refused
// for a name that matches no file and for an ambiguous `only`, Interrupted as TrackedFile does, and what on_file
// throws.
Survey survey_files(const Request& request, const Storages& storages, const SurveyOptions& options);

}  // namespace carrack::data::cli
