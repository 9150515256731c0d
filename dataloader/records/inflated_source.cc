#include "dataloader/records/inflated_source.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <vector>

namespace carrack::data {
namespace {

// The maximum number of bytes of the file to read at a time. A network request takes about as long as the transfer of
// some megabytes, so a remote file is read in larger pieces.
std::uint64_t piece_bytes(const ByteSource& file) {
  return file.is_remote() ? std::uint64_t{8} << 20 : std::uint64_t{256} << 10;
}

// About the maximum memory in bytes that one read uses at a time, for inflaters and bytes of the file.
constexpr std::uint64_t held_bytes_max = std::uint64_t{32} << 20;

std::size_t memory_of(const InflaterAt& inflater) {
  return Inflater::memory_bytes() + inflater.input.size();
}

class InflatedSource final : public ByteSource {
 public:
  InflatedSource(std::unique_ptr<const ByteSource> file, std::shared_ptr<const SeekPoints> points, std::uint64_t size,
                 std::shared_ptr<InflaterCache> waiting)
      : ByteSource(file->name(), {size, file->stat().version}),
        file_(std::move(file)),
        points_(std::move(points)),
        waiting_(std::move(waiting)),
        number_(waiting_->add_source()) {}

  bool is_remote() const override { return file_->is_remote(); }
  bool is_inflated() const override { return true; }

  ReadResult read(std::span<const Slice> slices) const override {
    std::vector<Slice> sorted;
    for (const Slice& slice : slices) {
      if (slice.offset > stat().size || slice.into.size() > stat().size - slice.offset) return ReadResult::past_end;
      if (!slice.into.empty()) sorted.push_back(slice);
    }
    std::ranges::sort(sorted, {}, &Slice::offset);
    const std::vector<Run> runs = runs_of(sorted);
    for (std::span<const Run> left = runs; !left.empty();) {
      const std::size_t count = runs_at_once(left);
      if (const ReadResult result = read_runs(left.first(count)); result != ReadResult::complete) return result;
      left = left.subspan(count);
    }
    return ReadResult::complete;
  }

 private:
  // Slices that one inflater fills, one after the other, and the range of the compressed file that it needs for them.
  struct Run {
    std::span<const Slice> slices;
    std::uint64_t in_begin, in_end;
  };
  using Point = std::vector<SeekPoint>::const_iterator;

  // Returns the first seek point after an offset in the inflated bytes, or end(). A point at the offset does not count.
  Point point_after(std::uint64_t out) const {
    return std::ranges::upper_bound(points_->points, out, {}, &SeekPoint::out);
  }

  // Splits the slices, which are sorted by offset, into runs.
  std::vector<Run> runs_of(std::span<const Slice> sorted) const {
    std::vector<Run> runs;
    std::size_t first = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const std::uint64_t end = sorted[i].offset + sorted[i].into.size();
      const bool follows = i + 1 < sorted.size() && sorted[i + 1].offset >= end;
      // If no seek point lies between this slice and the next, the same inflater continues: a new inflater would have
      // to begin at or before the end of this slice.
      if (follows && std::prev(point_after(sorted[i + 1].offset))->out <= end) continue;
      const Point next = point_after(end - 1);
      runs.push_back({sorted.subspan(first, i + 1 - first), std::prev(point_after(sorted[first].offset))->in,
                      next == points_->points.end() ? points_->file_size : next->in});
      first = i + 1;
    }
    return runs;
  }

  // Returns an inflater at or before the offset `out` of the inflated bytes. It is one with which an earlier read has
  // stopped after the last seek point or, if there is none, a new inflater at that point.
  InflaterAt inflater_before(std::uint64_t out) const {
    const SeekPoint& point = *std::prev(point_after(out));
    if (std::optional<InflaterAt> waiting = waiting_->take(number_, point.out, out)) return *std::move(waiting);
    return {inflater_at(points_->compression, point), point.in, point.out};
  }

  // Returns how many of the first runs fit in held_bytes_max together, at least one.
  std::size_t runs_at_once(std::span<const Run> runs) const {
    std::uint64_t bytes = 0;
    std::size_t count = 0;
    while (count < runs.size() && bytes < held_bytes_max) {
      bytes += Inflater::memory_bytes() + std::min(piece_bytes(*file_), runs[count].in_end - runs[count].in_begin);
      ++count;
    }
    return count;
  }

  ReadResult read_runs(std::span<const Run> runs) const {
    std::vector<InflaterAt> inflaters;
    for (const Run& run : runs) inflaters.push_back(inflater_before(run.slices.front().offset));
    if (const ReadResult result = read_inputs(runs, inflaters); result != ReadResult::complete) return result;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      for (const Slice& slice : runs[i].slices) {
        const ReadResult result = fill(inflaters[i], runs[i].in_end, slice);
        if (result != ReadResult::complete) return result;
      }
      keep(std::move(inflaters[i]));
    }
    return ReadResult::complete;
  }

  // Reads the first bytes that each run needs, for all runs in one call, because each read of a remote file waits for
  // the network.
  ReadResult read_inputs(std::span<const Run> runs, std::span<InflaterAt> inflaters) const {
    std::vector<Slice> slices;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      InflaterAt& at = inflaters[i];
      if (at.used == at.input.size() && at.in < runs[i].in_end) slices.push_back(next_input(at, runs[i].in_end));
    }
    std::erase_if(slices, [](const Slice& slice) { return slice.into.empty(); });
    return slices.empty() ? ReadResult::complete : file_->read(slices);
  }

  // Makes room in at.input for the next piece of the file, and returns the room for the caller to fill. A piece does
  // not go beyond in_end or, once in_end was reached, beyond the end of the file. At the end of the file the room is
  // empty.
  Slice next_input(InflaterAt& at, std::uint64_t in_end) const {
    const std::uint64_t end = in_end > at.in ? in_end : points_->file_size;
    at.used = 0;
    at.input.resize(std::min(piece_bytes(*file_), end - at.in));
    return {at.in, at.input};
  }

  // Inflates up to the offset of the slice, drops these bytes, and then fills the slice.
  ReadResult fill(InflaterAt& at, std::uint64_t in_end, const Slice& slice) const {
    std::array<std::byte, std::size_t{32} << 10> unused;
    while (at.out < slice.offset) {
      const std::uint64_t before = std::min<std::uint64_t>(slice.offset - at.out, unused.size());
      const ReadResult result = produce(at, in_end, std::span(unused).first(before));
      if (result != ReadResult::complete) return result;
    }
    return produce(at, in_end, slice.into);
  }

  // Fills `into` with the next inflated bytes, or zeros if they are damaged. Begins again with a new inflater at each
  // seek point: even if damage has changed the number of bytes before the point, the bytes after it are right.
  ReadResult produce(InflaterAt& at, std::uint64_t in_end, std::span<std::byte> into) const {
    while (!into.empty()) {
      const Point next = point_after(at.out);
      const bool is_last = next == points_->points.end();
      const std::uint64_t left = (is_last ? stat().size : next->out) - at.out;
      const std::span<std::byte> part = into.first(std::min<std::uint64_t>(into.size(), left));
      std::size_t made = 0;
      if (const ReadResult result = inflate(at, in_end, part, made); result != ReadResult::complete) return result;
      std::ranges::fill(part.subspan(made), std::byte{0});
      at.out += part.size();
      into = into.subspan(part.size());
      if (!is_last && part.size() == left) go_to(at, *next);
    }
    return ReadResult::complete;
  }

  // Sets `made` to the number of bytes that were inflated. It is less than into.size() if the file is damaged or ends.
  ReadResult inflate(InflaterAt& at, std::uint64_t in_end, std::span<std::byte> into, std::size_t& made) const {
    for (;;) {
      const Inflater::Step step = at.inflater.inflate(std::span(at.input).subspan(at.used), into.subspan(made));
      at.used += step.taken;
      at.in += step.taken;
      made += step.made;
      if (step.damage || made == into.size()) break;
      const Slice slice = next_input(at, in_end);
      if (slice.into.empty()) break;
      if (const ReadResult result = file_->read({&slice, 1}); result != ReadResult::complete) return result;
    }
    return ReadResult::complete;
  }

  // Moves `at` to the seek point, with a new inflater. If the point lies in at.input, these bytes are not read again.
  void go_to(InflaterAt& at, const SeekPoint& point) const {
    const std::uint64_t begin = at.in - at.used;
    if (point.in >= begin && point.in <= begin + at.input.size()) {
      at.used = point.in - begin;
    } else {
      at.input.clear();
      at.used = 0;
    }
    at.in = point.in;
    at.inflater = inflater_at(points_->compression, point);
  }

  // Stores the inflater and its unused input, so that a later read can continue from here.
  void keep(InflaterAt at) const {
    if (at.out == stat().size) return;
    at.input = Bytes(at.input.begin() + static_cast<std::ptrdiff_t>(at.used), at.input.end());
    at.used = 0;
    waiting_->put(number_, std::move(at));
  }

  const std::unique_ptr<const ByteSource> file_;
  const std::shared_ptr<const SeekPoints> points_;
  const std::shared_ptr<InflaterCache> waiting_;
  const std::uint64_t number_;
};

}  // namespace

std::uint64_t InflaterCache::add_source() {
  MutexLock lock(mutex_);
  return ++sources_;
}

std::optional<InflaterAt> InflaterCache::take(std::uint64_t source, std::uint64_t first, std::uint64_t last) {
  MutexLock lock(mutex_);
  auto best = waiting_.end();
  for (auto one = waiting_.begin(); one != waiting_.end(); ++one) {
    const std::uint64_t out = one->inflater.out;
    if (one->source != source || out < first || out > last) continue;
    if (best == waiting_.end() || out > best->inflater.out) best = one;
  }
  if (best == waiting_.end()) return std::nullopt;
  std::optional<InflaterAt> taken = std::move(best->inflater);
  bytes_ -= memory_of(*taken);
  waiting_.erase(best);
  return taken;
}

void InflaterCache::put(std::uint64_t source, InflaterAt inflater) {
  MutexLock lock(mutex_);
  bytes_ += memory_of(inflater);
  waiting_.push_back({source, std::move(inflater)});
  while (bytes_ > bytes_max_ && !waiting_.empty()) {
    bytes_ -= memory_of(waiting_.front().inflater);
    waiting_.pop_front();
  }
}

std::unique_ptr<const ByteSource> inflated(std::unique_ptr<const ByteSource> file,
                                           std::shared_ptr<const SeekPoints> points, std::uint64_t size,
                                           std::shared_ptr<InflaterCache> waiting) {
  return std::make_unique<const InflatedSource>(std::move(file), std::move(points), size, std::move(waiting));
}

}  // namespace carrack::data
