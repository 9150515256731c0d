// Reads many files at once and summarizes their records: the common part of `inspect`, `stats` and `verify`.
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

// A file of a storage that adds what is read of it to `progress`, and whose read() throws Interrupted after an
// interrupt. Storage and progress must outlive it.
class TrackedFile final : public ByteSource {
 public:
  TrackedFile(Storage& storage, const Listed& file, Progress& progress)
      : ByteSource(file.url, file.stat), file_(storage, file.url, file.stat), progress_(progress) {}

  ReadResult read(std::span<const Slice> slices) const override;

 private:
  StoredObject file_;
  Progress& progress_;
  mutable std::atomic<std::uint64_t> end_ = 0;  // of the part that was read
};

// --threads, or the number of CPUs that this process may use.
unsigned thread_count(const Request& request);

struct SurveyOptions {
  SurveyLimit limit = {};  // of all files together; shared evenly among them
  bool summarize = true;
  std::optional<std::string> only = {};  // the feature, or its value, that is summarized; nullopt: all features
  // Called with each file that could be read, in the order of the files, as soon as it and all before it are done; by
  // one thread at a time, but not always the same.
  std::function<void(const FileSurvey&)> on_file = [](const FileSurvey&) {};
};

// A file that cannot be read is reported on standard error and left out. Throws Refused for a name that matches no
// file, and Interrupted.
Survey survey_files(const Request& request, const Storages& storages, const SurveyOptions& options);

}  // namespace carrack::data::cli
