// How far the building of indexes has got, for the log: a line when it begins, and one every ten seconds. Safe from any
// thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "dataloader/indexes/data_files.h"
#include "dataloader/records/byte_source.h"

namespace carrack::data {

class BuildProgress {
 public:
  BuildProgress(std::size_t files, std::uint64_t bytes, Log log);

  // So many bytes of a file are done; all of them now, where it `ends` a file.
  void advance(std::uint64_t bytes, bool ends);

 private:
  using Clock = std::chrono::steady_clock;

  std::string text() const;

  const std::size_t files_;
  const std::uint64_t bytes_;
  const Log log_;
  std::mutex mutex_;  // of what follows
  std::size_t files_done_ = 0;
  std::uint64_t bytes_done_ = 0;
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

// "1.2 of 4.8 GB"
std::string amount_of(std::uint64_t part, std::uint64_t whole);

}  // namespace carrack::data
