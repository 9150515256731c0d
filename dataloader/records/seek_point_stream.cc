#include "dataloader/records/seek_point_stream.h"

#include <algorithm>
#include <string>
#include <utility>

#include "dataloader/records/first_bytes.h"

namespace carrack::data {
namespace {

// The minimum number of inflated bytes from one seek point to the next. A point in the middle of a stream needs a
// window, which takes some 10 KiB, so such points are farther apart. A point at the beginning of a stream takes 22
// bytes.
constexpr std::uint64_t window_distance = std::uint64_t{4} << 20;
constexpr std::uint64_t stream_distance = std::uint64_t{256} << 10;
// If the window of a point takes too many bytes, add_point() tries again this many inflated bytes later.
constexpr std::uint64_t retry_distance = std::uint64_t{1} << 20;
// All points together may take at most one byte for each `file_per_points` bytes of the file before the last of them,
// so that the index stays small.
constexpr std::uint64_t file_per_points = 100;

// The inflater notices damage only after the damaged bytes, perhaps when it has already passed the beginning of the
// next stream. So the search for the next stream begins this many bytes before the offset where the damage was noticed.
constexpr std::uint64_t search_back = std::uint64_t{64} << 10;
// Damaged data may look like the beginning of a stream. So the search accepts a beginning only if this many bytes can
// be inflated from there, or a whole stream.
constexpr std::size_t trial_bytes = std::size_t{32} << 10;
constexpr std::size_t trial_piece = std::size_t{4} << 10;
// About the maximum number of compressed bytes that one trial reads. Without a limit, a trial could read the whole
// file, because a header or a series of empty blocks may have any size.
constexpr std::uint64_t trial_input_max = std::uint64_t{64} << 10;
// All trials together may read this many bytes more than the offset that the search has reached. So the search takes
// time in proportion to the size of the file.
constexpr std::uint64_t trials_max = std::uint64_t{64} << 20;

Kind kind_for(Compression compression) {
  return compression == Compression::gzip ? Kind::gzip : Kind::zlib;
}

}  // namespace

SeekPointStream::SeekPointStream(const ByteSource& file, Compression compression, std::size_t piece, DamagedFile damage)
    : file_(file),
      piece_(std::max(piece, first_bytes)),
      damage_(damage),
      points_{.compression = compression, .file_size = file.stat().size},
      next_window_(window_distance),
      inflater_(compression) {}

std::size_t SeekPointStream::read(std::span<std::byte> into) {
  for (;;) {
    if (zeros_ > 0) return give_zeros(into);
    if (ended_) return 0;
    if (const std::size_t made = inflate(into); made > 0) return made;
  }
}

// Fills `into` up to the next damage. Adds a seek point at the end of each block that is far enough from the last
// point.
std::size_t SeekPointStream::inflate(std::span<std::byte> into) {
  std::size_t made = 0;
  while (!ended_ && zeros_ == 0 && made < into.size()) {
    const BlockInflater::Step step = inflater_.inflate(input_, into.subspan(made));
    if (step.taken > 0) last_taken_ = input_[step.taken - 1];
    input_ = input_.subspan(step.taken);
    in_ += step.taken;
    made += step.made;
    out_ += step.made;
    const bool ends_stream = inflater_.at_an_end() && step.taken > 0;
    if (ends_stream) stream_begin_ = in_;
    if (step.damage) {
      pass_over_damage(Fault::bad_stream, "the compressed data is damaged: " + *step.damage);
    } else if (ends_stream || inflater_.at_block_end()) {
      add_point();
    } else if (made < into.size() && input_.empty() && !take_piece(piece_) && !ended_) {
      ended_ = inflater_.at_an_end();
      if (!ended_) pass_over_damage(Fault::truncated, "the file ends within its compressed data");
    }
  }
  return made;
}

// Returns zeros in place of damaged bytes. After the last zero, adds the point at which the next stream begins.
std::size_t SeekPointStream::give_zeros(std::span<std::byte> into) {
  const std::size_t size = std::min<std::uint64_t>(into.size(), zeros_);
  std::ranges::fill(into.first(size), std::byte{0});
  zeros_ -= size;
  out_ += size;
  if (zeros_ == 0 && !ended_) {
    points_.points.push_back({.in = in_, .out = out_});
    points_size_ += encoded_size(points_.points.back());
  }
  return size;
}

// Reads the next `size` bytes of the file into input_. Returns false at the end of the file, and if the file has
// changed.
bool SeekPointStream::take_piece(std::size_t size) {
  memory_.resize(std::min<std::uint64_t>(size, file_.stat().size - in_));
  input_ = {};
  if (memory_.empty()) return false;
  if (file_.read_at(in_, memory_) != ReadResult::complete) {
    problem_ = Problem{Fault::changed, fault_text(Fault::changed)};
    ended_ = true;
    return false;
  }
  input_ = memory_;
  return true;
}

// Handles damage that was noticed at in_. With DamagedFile::refused, ends with a problem. Otherwise moves to the next
// stream that can be inflated, and read() returns zeros for the bytes before that stream.
void SeekPointStream::pass_over_damage(Fault fault, const std::string& what) {
  if (damage_ == DamagedFile::refused) {
    problem_ = Problem{fault, what};
    ended_ = true;
    return;
  }
  const std::uint64_t noticed = in_;
  const std::uint64_t back = noticed - std::min(search_back, noticed);
  const std::optional<std::uint64_t> next =
      next_stream(std::max({stream_begin_ + 1, points_.points.back().in + 1, back}));
  if (problem_) return;
  const std::uint64_t end = next.value_or(file_.stat().size);
  zeros_ = end > noticed ? end - noticed : 1;
  ended_ = !next;
  if (next) begin_stream_at(*next);
}

// Returns the offset of the first stream at `from` or later that can be inflated; nullopt if there is none, or the
// trials have read too much.
std::optional<std::uint64_t> SeekPointStream::next_stream(std::uint64_t from) {
  const Kind wanted = kind_for(points_.compression);
  for (in_ = from; take_piece(piece_);) {
    const Bytes piece = memory_;
    const bool is_last = in_ + piece.size() == file_.stat().size;
    const std::uint64_t begin = in_;
    const std::size_t starts = is_last ? piece.size() : piece.size() - first_bytes + 1;
    for (std::size_t at = 0; at < starts; ++at) {
      const auto bytes = std::span(piece).subspan(at, std::min(first_bytes, piece.size() - at));
      if (kind_of(bytes) == wanted && inflates_from(begin + at)) return begin + at;
      if (problem_ || trials_ > begin + at + trials_max) return std::nullopt;
    }
    in_ = begin + starts;
  }
  return std::nullopt;
}

// Returns whether a stream can be inflated from the offset `at` of the file on. Changes in_ and input_, so the caller
// must set them again.
bool SeekPointStream::inflates_from(std::uint64_t at) {
  BlockInflater inflater(points_.compression);
  Bytes into(trial_bytes);
  std::size_t made = 0;
  input_ = {};
  for (in_ = at; made < into.size() && in_ - at < trial_input_max;) {
    if (input_.empty()) {
      trials_ += trial_piece;
      if (!take_piece(trial_piece)) return false;
    }
    const BlockInflater::Step step = inflater.inflate(input_, std::span(into).subspan(made));
    input_ = input_.subspan(step.taken);
    in_ += step.taken;
    made += step.made;
    if (step.damage) return false;
    if (inflater.at_an_end()) return true;
  }
  return made > 0;
}

void SeekPointStream::begin_stream_at(std::uint64_t in) {
  in_ = stream_begin_ = in;
  input_ = {};
  inflater_ = BlockInflater(points_.compression);
}

// Adds a point at in_, unless that is too near to the last point or the point takes too many bytes.
void SeekPointStream::add_point() {
  const bool begins_stream = inflater_.at_an_end();
  const std::uint64_t last = points_.points.back().out;
  if (in_ >= file_.stat().size || in_ <= points_.points.back().in) return;
  if (out_ < (begins_stream ? last + stream_distance : std::max(next_window_, last + window_distance))) return;
  SeekPoint point{.in = in_, .out = out_};
  if (!begins_stream) {
    point.bits = inflater_.bits_left();
    point.value = std::to_integer<unsigned>(last_taken_) >> (8 - point.bits);
    Deflater deflater(Compression::zlib);
    deflater.deflate(inflater_.window(), point.window);
    deflater.finish(point.window);
  }
  if (points_size_ + encoded_size(point) > in_ / file_per_points) {
    if (!begins_stream) next_window_ = out_ + retry_distance;
    return;
  }
  points_size_ += encoded_size(point);
  points_.points.push_back(std::move(point));
}

void SeekPointStream::close() {
  ended_ = true;
  zeros_ = 0;
  problem_.reset();
}

}  // namespace carrack::data
