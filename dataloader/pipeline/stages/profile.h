// Profile: measures the time and rows of each stage of an open pipeline. Stages wrap their functions and elements with
// timed(). totals() is for the report (report.h), and spans(), the single calls, for the timeline in Perfetto.
// Thread-safe. Measuring a call costs a few microseconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "dataloader/mutex.h"
#include "dataloader/pipeline/sequences/sequence.h"
#include "dataloader/pipeline/stages/stage_totals.h"
#include "dataloader/pipeline/streams/stream.h"

namespace carrack::data {

class Profile {
 public:
  // spans() returns only the first `max_spans` calls; 0: none.
  explicit Profile(std::size_t max_spans) : max_spans_(max_spans), opened_(std::chrono::steady_clock::now()) {}

  // Each of these adds a stage of this name, and returns a wrapper of its second argument that does the same and
  // measures each call: of the function, of Sequence::read(), or of next() of the streams that `open` opens. Opening,
  // saving and restoring a stream are not measured, and a call that throws is not counted. This object must outlive the
  // wrappers.
  RowsFunction timed(const std::string& name, RowsFunction function);
  Sequence timed(const std::string& name, Sequence sequence);
  OpenStream timed(const std::string& name, OpenStream open);

  // The sums of all stages, in the order in which the stages were added.
  std::vector<StageTotals> totals() const;
  // The calls in the order in which they ended.
  std::vector<Span> spans() const;
  // The nanoseconds since this object was constructed.
  std::uint64_t age_ns() const;

 private:
  // What a call returned: rows, and for sources the bytes of files that it has read past.
  struct Output {
    std::uint64_t rows = 0, bytes = 0;
  };

  // Adds a stage and returns its index. `is_stream` is true for a stream.
  std::size_t add(const std::string& name, bool is_stream = false) EXCLUDES(mutex_);
  // Runs `call`, which returns its Output, and adds its time and output to the stage.
  template <typename Call>
  void measure(std::size_t stage, const Call& call) EXCLUDES(mutex_);

  const std::size_t max_spans_;
  const std::chrono::steady_clock::time_point opened_;
  mutable Mutex mutex_;
  std::vector<StageTotals> stages_ GUARDED_BY(mutex_);
  std::vector<Span> spans_ GUARDED_BY(mutex_);
  // The threads that have made calls; Span::thread is an index into it.
  std::vector<std::thread::id> threads_ GUARDED_BY(mutex_);
};

}  // namespace carrack::data
