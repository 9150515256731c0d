#include "dataloader/pipeline/sequences/fetch.h"

#include <algorithm>
#include <tuple>

#include "dataloader/memory/recycled.h"

namespace carrack::data {
namespace {

// Neighbours in one file, and the bytes of it that hold them.
struct Run {
  std::span<Wanted> wanted;
  Range bytes;
};

std::vector<Run> runs_of(std::span<Wanted> wanted, std::uint64_t longest_gap) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto [offset, size] = wanted[i].extent;
    const bool follows = i > 0 && wanted[i].id.file == wanted[i - 1].id.file;
    if (follows && offset - runs.back().bytes.end <= longest_gap) {
      Run& run = runs.back();
      run = {{run.wanted.data(), run.wanted.size() + 1}, {run.bytes.begin, offset + size}};
    } else {
      runs.push_back({wanted.subspan(i, 1), {offset, offset + size}});
    }
  }
  return runs;
}

}  // namespace

void sort(std::span<Wanted> wanted) {
  const auto before = [](const Wanted& a, const Wanted& b) {
    return std::tie(a.id.file, a.extent.offset) < std::tie(b.id.file, b.extent.offset);
  };
  if (!std::ranges::is_sorted(wanted, before)) std::ranges::sort(wanted, before);
}

Fetched fetch(const std::vector<IndexedFile>& files, std::span<Wanted> wanted, std::uint64_t longest_gap) {
  const std::vector<Run> runs = runs_of(wanted, longest_gap);
  std::uint64_t size = 0;
  for (const Run& run : runs) size += run.bytes.size();
  Fetched fetched{shared_memory(size)};
  std::byte* at = fetched.memory.get();
  std::vector<Slice> slices;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Run& run = runs[i];
    for (Wanted& one : run.wanted) one.frame = {at + (one.extent.offset - run.bytes.begin), one.extent.size};
    slices.push_back({run.bytes.begin, {at, run.bytes.size()}});
    at += run.bytes.size();
    const std::size_t file = run.wanted.front().id.file;
    if (i + 1 < runs.size() && runs[i + 1].wanted.front().id.file == file) continue;
    if (files[file].source->read(slices) != ReadResult::complete) {
      fetched.changed = &run.wanted.front();
      break;
    }
    slices.clear();
  }
  return fetched;
}

}  // namespace carrack::data
