// What a Profile (profile.h) has measured: StageTotals for the table of `carrack data bench`, Span for the timeline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace carrack::data {

// The sums of all calls of one stage.
struct StageTotals {
  std::string name;
  std::uint64_t calls = 0;
  std::uint64_t rows = 0;       // number of rows that it returned
  std::uint64_t bytes = 0;      // sources: about how many bytes its rows have in the files, inflated; 0: unknown
  std::uint64_t busy_ns = 0;    // time of computing, summed over threads
  std::uint64_t waited_ns = 0;  // time of waiting for storage, locks and anything else except a CPU
  bool is_stream = false;       // true: a stream, which one thread at a time reads
  bool operator==(const StageTotals&) const = default;
};

// One call of one stage. Times are in nanoseconds since the Profile was constructed, before the pipeline was opened.
struct Span {
  std::size_t stage = 0;   // index into Profile::totals()
  std::size_t thread = 0;  // number of the thread, from 0, in the order of their first calls
  std::uint64_t begin_ns = 0, end_ns = 0;
  std::uint64_t rows = 0;
};

}  // namespace carrack::data
