// What each stage of an open pipeline took, as it runs: sums for the report, and single spans for the timeline where
// they are asked for. Called by many threads at once; a chunk's stage costs a few microseconds more.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "dataloader/pipeline/sequences/sequence.h"
#include "dataloader/pipeline/streams/stream.h"

namespace carrack::data {

// Sums of one stage.
struct StageTotals {
  std::string name;
  std::uint64_t calls = 0;
  std::uint64_t rows = 0;       // that it gave
  std::uint64_t bytes = 0;      // about how many of storage, of a source
  std::uint64_t busy_ns = 0;    // computing
  std::uint64_t waited_ns = 0;  // for storage
  bool in_turn = false;         // by one thread alone
  bool operator==(const StageTotals&) const = default;
};

// One call of one stage, in nanoseconds since the pipeline was opened.
struct Span {
  std::size_t stage = 0;
  std::size_t thread = 0;  // counted from 0 as they come
  std::uint64_t begin_ns = 0, end_ns = 0;
  std::uint64_t rows = 0;
};

class Profile {
 public:
  // As many spans are kept, the first ones; none for 0.
  explicit Profile(std::size_t most_spans) : most_spans_(most_spans), opened_(std::chrono::steady_clock::now()) {}

  // Each does what it is given, and is a stage of that name.
  RowsFunction timed(const std::string& name, RowsFunction function);
  SequencePtr timed(const std::string& name, SequencePtr sequence);
  OpenStream timed(const std::string& name, OpenStream open);

  std::vector<StageTotals> totals() const;
  std::vector<Span> spans() const;
  std::uint64_t age_ns() const;

 private:
  struct Stage {
    std::string name;
    bool in_turn = false;
    std::atomic<std::uint64_t> calls = 0, rows = 0, bytes = 0, busy_ns = 0, waited_ns = 0;
  };
  class Call;

  std::size_t add(const std::string& name);
  void keep(Span span);

  const std::size_t most_spans_;
  const std::chrono::steady_clock::time_point opened_;
  mutable std::mutex mutex_;  // Guards all below, but for what is atomic.
  std::deque<Stage> stages_;
  std::vector<Span> spans_;
  std::vector<std::thread::id> threads_;
};

}  // namespace carrack::data
