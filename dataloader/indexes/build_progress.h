// BuildProgress: reports the progress of building indexes, at the beginning and then with the first progress after each
// ten seconds. The end is not reported.
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
  std::size_t files = 0;          // number of files that are indexed
  std::size_t files_total = 0;    // number of files that had no index
  std::uint64_t bytes = 0;        // stored bytes of these files that are indexed
  std::uint64_t bytes_total = 0;  // stored bytes of all files that had no index
  bool operator==(const IndexingProgress&) const = default;
};

// Returns a text such as "3 of 12 files, 1.2 of 4.8 GB", with 1 GB = 10^9 bytes.
std::string describe(const IndexingProgress& progress);

// Safe for many threads.
class BuildProgress {
 public:
  // `files` and `bytes` are the totals. Calls `report` once here, and later from the threads that call advance(), one
  // call at a time and with a lock held. `report` must not be empty, throw or call this object.
  BuildProgress(std::size_t files, std::uint64_t bytes, std::function<void(const IndexingProgress&)> report);

  // Adds stored bytes of a file that are indexed; `ends_file` must be true once for each file, with its last bytes.
  void advance(std::uint64_t bytes, bool ends_file);

 private:
  using Clock = std::chrono::steady_clock;

  const std::function<void(const IndexingProgress&)> report_;
  Mutex mutex_;
  IndexingProgress progress_ GUARDED_BY(mutex_);
  Clock::time_point next_report_ GUARDED_BY(mutex_);
};

// Reads another source, from its beginning to its end, and reports bytes that are read for the first time. read() must
// get at least one slice; it reports the bytes up to the end of the last slice. The destructor reports the rest of the
// file as done. For one thread; both arguments must outlive this.
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
