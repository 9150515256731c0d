// BuildProgress: reports how far the indexing of data files has come, for logs and the status of a job. It reports once
// at the beginning, and then with the first progress after each ten seconds. It does not report the end.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "dataloader/mutex.h"
#include "dataloader/records/byte_source.h"

namespace carrack::data {

struct IndexingProgress {
  std::size_t files = 0;          // number of files that have been indexed since the beginning
  std::size_t files_total = 0;    // number of files that had no index at the beginning
  std::uint64_t bytes = 0;        // how many of bytes_total are indexed, with those of files that are not complete yet
  std::uint64_t bytes_total = 0;  // size of these files_total files, as they are stored
  bool operator==(const IndexingProgress&) const = default;
};

// Returns a text such as "3 of 12 files, 1.2 of 4.8 GB", with 1 GB = 10^9 bytes.
std::string describe(const IndexingProgress& progress);

// Safe for many threads.
class BuildProgress {
 public:
  // `files` and `bytes` are the totals. Calls `report` once here, and later from the threads that call advance(), one
  // call at a time and under a lock. `report` must not be empty, throw or call this object.
  BuildProgress(std::size_t files, std::uint64_t bytes, std::function<void(const IndexingProgress&)> report);

  // Call this after indexing `bytes` more stored bytes of a file. `ends_file` must be true once for each file, with its
  // last bytes.
  void advance(std::uint64_t bytes, bool ends_file);

 private:
  using Clock = std::chrono::steady_clock;

  const std::function<void(const IndexingProgress&)> report_;
  Mutex mutex_;
  IndexingProgress progress_ GUARDED_BY(mutex_);
  Clock::time_point next_report_ GUARDED_BY(mutex_);
};

// Wraps the file that is indexed, so that reading it advances the progress by the bytes that are read for the first
// time. read() must get at least one slice; it counts the bytes up to the end of the last slice. The destructor counts
// the rest of the file as done, even after a failure. For one thread, which reads from the beginning to the end; both
// arguments must outlive this.
class ProgressReportingSource final : public ByteSource {
 public:
  ProgressReportingSource(const ByteSource& file, BuildProgress& progress)
      : ByteSource(file.name(), file.stat()), file_(file), progress_(progress) {}
  ~ProgressReportingSource() override { progress_.advance(stat().size - reported_bytes_, true); }
  ProgressReportingSource(const ProgressReportingSource&) = delete;
  ProgressReportingSource& operator=(const ProgressReportingSource&) = delete;

  bool is_remote() const override { return file_.is_remote(); }
  ReadResult read(std::span<const Slice> slices) const override {
    const ReadResult result = file_.read(slices);
    const std::uint64_t end = slices.back().offset + slices.back().into.size();
    if (end > reported_bytes_) progress_.advance(end - std::exchange(reported_bytes_, end), false);
    return result;
  }

 private:
  const ByteSource& file_;
  BuildProgress& progress_;
  mutable std::uint64_t reported_bytes_ = 0;  // bytes from the beginning of the file
};

}  // namespace carrack::data
