// Looks at many files at once, and at what all their records are.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "dataloader/cli/file_look.h"
#include "dataloader/cli/progress.h"
#include "dataloader/cli/request.h"
#include "dataloader/storage/storages.h"

namespace carrack::data::cli {

// One file of a storage: how far it was read counts as progress, and an interrupt ends it.
class WatchedFile final : public ByteSource {
 public:
  WatchedFile(Storage& storage, const Listed& file, Progress& progress)
      : file_(storage, file.url, file.stat), progress_(progress) {}

  const std::string& name() const override { return file_.name(); }
  const ObjectStat& stat() const override { return file_.stat(); }
  // Throws Interrupted.
  ReadResult read(std::span<const Slice> slices) const override;

 private:
  StoredObject file_;
  Progress& progress_;
  mutable std::atomic<std::uint64_t> reached_ = 0;
};

// As many as there are CPUs for this process, unless it was told.
unsigned threads_for(const Request& request);

struct Survey {
  std::vector<FileLook> files;  // those that could be read
  bool all_read = true;         // Else it was told on standard error which could not be.
  Summary summary;              // of all records, if it was asked for
  std::uint64_t bytes = 0;      // that were read
  double seconds = 0;

  std::uint64_t records() const;
  std::uint64_t size() const;
  std::uint64_t damaged() const;
  std::uint64_t lost() const;
  bool whole() const;
};

struct Looking {
  Front front = {};  // of all files together
  bool summarises = true;
  // Called with each file in turn, as soon as it was read.
  std::function<void(const FileLook&)> each = [](const FileLook&) {};
};

// Throws Refused where a name stands for no file, and Interrupted.
Survey survey(const Request& request, const Storages& storages, const Looking& looking);

}  // namespace carrack::data::cli
