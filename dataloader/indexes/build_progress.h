// How far the building of indexes has got: told when it begins, and every ten seconds. Safe from any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "dataloader/records/byte_source.h"

namespace carrack::data {

struct IndexingProgress {
  std::size_t files = 0;
  std::size_t files_total = 0;
  std::uint64_t bytes = 0;
  std::uint64_t bytes_total = 0;
  bool operator==(const IndexingProgress&) const = default;
};

// "3 of 12 files, 1.2 of 4.8 GB"
std::string describe(const IndexingProgress& built);

class BuildProgress {
 public:
  BuildProgress(std::size_t files, std::uint64_t bytes, std::function<void(const IndexingProgress&)> told);

  // So many bytes of a file are done; all of them now, where it `ends` a file.
  void advance(std::uint64_t bytes, bool ends);

 private:
  using Clock = std::chrono::steady_clock;

  const std::function<void(const IndexingProgress&)> told_;
  std::mutex mutex_;  // of what follows
  IndexingProgress built_;
  Clock::time_point due_;
};

// A file that tells how far it has been read.
class Watched final : public ByteSource {
 public:
  Watched(const ByteSource& file, BuildProgress& progress) : file_(file), progress_(progress) {}
  ~Watched() override { progress_.advance(stat().size - seen_, true); }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  const std::string& name() const override { return file_.name(); }
  const ObjectStat& stat() const override { return file_.stat(); }
  ReadResult read(std::span<const Slice> slices) const override {
    const ReadResult result = file_.read(slices);
    const std::uint64_t end = slices.back().offset + slices.back().into.size();
    progress_.advance(end - seen_, false);
    seen_ = end;
    return result;
  }

 private:
  const ByteSource& file_;
  BuildProgress& progress_;
  mutable std::uint64_t seen_ = 0;
};

}  // namespace carrack::data
