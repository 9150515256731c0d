#include "dataloader/pipeline/sequences/fetch.h"

#include "dataloader/memory/recycled.h"
#include "dataloader/pipeline/rows/runs.h"

namespace carrack::data {
namespace {

// Requests for records of one file that are read together, and the range of bytes in the file that contains all of
// them.
struct Run {
  std::span<RecordRequest> requests;
  Range bytes;
};

// Groups requests for records of one file with at most `gap_bytes_max` bytes between neighbours.
std::vector<Run> runs_of(std::span<RecordRequest> requests, std::uint64_t gap_bytes_max) {
  std::vector<Run> runs;
  const auto follows = [&](std::size_t i) {
    const RecordRequest &one = requests[i], &before = requests[i - 1];
    return one.id.file == before.id.file &&
           one.extent.offset - (before.extent.offset + before.extent.size) <= gap_bytes_max;
  };
  for_each_run(requests.size(), follows, [&](Range range) {
    const Index::Extent first = requests[range.begin].extent, last = requests[range.end - 1].extent;
    runs.push_back({requests.subspan(range.begin, range.size()), {first.offset, last.offset + last.size}});
  });
  return runs;
}

}  // namespace

FetchResult fetch(const std::vector<IndexedFile>& files, std::span<RecordRequest> requests,
                  std::uint64_t gap_bytes_max) {
  const std::vector<Run> runs = runs_of(requests, gap_bytes_max);
  std::uint64_t size = 0;
  for (const Run& run : runs) size += run.bytes.size();
  FetchResult result{pooled_buffer(size)};
  std::byte* at = result.memory.get();
  std::vector<Slice> slices;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Run& run = runs[i];
    for (RecordRequest& one : run.requests) one.frame = {at + (one.extent.offset - run.bytes.begin), one.extent.size};
    slices.push_back({run.bytes.begin, {at, run.bytes.size()}});
    at += run.bytes.size();
    const std::size_t file = run.requests.front().id.file;
    // Collects the slices of all runs of a file, to read them with one call.
    if (i + 1 < runs.size() && runs[i + 1].requests.front().id.file == file) continue;
    if (files[file].source->read(slices) != ReadResult::complete) {
      result.changed = &run.requests.front();
      break;
    }
    slices.clear();
  }
  return result;
}

}  // namespace carrack::data
