#include "dataloader/records/file_stream.h"

#include <algorithm>
#include <cstring>

#include "dataloader/records/first_bytes.h"

namespace carrack::data {
namespace {

// Returns a problem if the user has named another compression than the file has, or if the file is a Git LFS pointer. A
// file of unknown kind counts as not compressed.
std::optional<FileStream::Problem> mismatch(Kind kind, std::optional<Compression> named) {
  if (kind == Kind::lfs_pointer) return {{Fault::wrong_kind, kind_text(kind)}};
  if (!named || *named == compression_of(kind)) return std::nullopt;
  return {{Fault::wrong_kind, std::string(kind_text(kind)) + ", and " + name_of(*named) +
                                  " was named; leave the compression out to have it found"}};
}

}  // namespace

std::size_t FileStream::read(std::span<std::byte> into) {
  if (!opened_) return open(into);
  return inflater_ ? inflate(into) : read_file(into);
}

// The first read. Finds out from the first bytes whether the file is compressed, and with what.
std::size_t FileStream::open(std::span<std::byte> into) {
  opened_ = true;
  const std::size_t size = read_file(into);
  if (problem_ || size == 0) return 0;
  const auto begin = into.first(std::min(size, first_bytes));
  const Kind kind = content_ == Content::text ? kind_of_text(begin) : kind_of(begin);
  problem_ = mismatch(kind, named_);
  if (problem_) {
    at_ = 0;
    return 0;
  }
  if (compression_of(kind) == Compression::none) return size;
  inflater_.emplace(compression_of(kind));
  memory_ = std::make_unique_for_overwrite<std::byte[]>(std::max(piece_, size));
  std::memcpy(memory_.get(), into.data(), size);
  input_ = {memory_.get(), size};
  const std::size_t made = inflate(into);
  const bool is_not_compressed =
      made == 0 && problem_ && problem_->fault == Fault::bad_stream && !named_ && content_ == Content::records;
  return is_not_compressed ? read_as_it_is(into) : made;
}

// Reads the file from its beginning as a file that is not compressed. open() calls this if the file begins like a
// compressed file, but not even one byte can be inflated. It is then probably a TFRecord file whose first length is
// damaged.
std::size_t FileStream::read_as_it_is(std::span<std::byte> into) {
  inflater_.reset();
  problem_.reset();
  ended_ = false;
  at_ = 0;
  reader_.reset();
  return read_file(into);
}

std::size_t FileStream::read_file(std::span<std::byte> into) {
  into = into.first(std::min<std::uint64_t>(into.size(), file_.stat().size - at_));
  if (into.empty()) return 0;
  if (read_on(into) != ReadResult::complete) {
    problem_ = Problem{Fault::changed, fault_text(Fault::changed)};
    return 0;
  }
  at_ += into.size();
  return into.size();
}

std::size_t FileStream::inflate(std::span<std::byte> into) {
  std::size_t made = 0;
  while (!ended_) {
    const Inflater::Step step = inflater_->inflate(input_, into.subspan(made));
    made += step.made;
    input_ = input_.subspan(step.taken);
    if (step.damage) {
      problem_ = Problem{Fault::bad_stream, "the compressed data is damaged: " + *step.damage};
      ended_ = true;
    } else if (made == into.size()) {
      break;
    } else {
      ended_ = !take_piece();
    }
  }
  return made;
}

// Reads the next piece of compressed bytes into input_. Returns false at the end of the file, and if the file has
// changed.
bool FileStream::take_piece() {
  const std::size_t size = read_file({memory_.get(), piece_});
  input_ = {memory_.get(), size};
  if (size == 0 && !problem_ && !inflater_->at_an_end())
    problem_ = Problem{Fault::truncated, "the file ends within its compressed data"};
  return size > 0;
}

std::uint64_t FileStream::left() const {
  if (!opened_) return unknown;
  if (inflater_) return ended_ ? 0 : unknown;
  return file_.stat().size - at_;
}

// Fills `into` with the bytes from at_ on. Until go_to() is called, it uses an ObjectReader, which may read ahead.
// After that, reading ahead could be wasted, so each call reads only its own bytes.
ReadResult FileStream::read_on(std::span<std::byte> into) {
  if (has_moved_) return file_.read_at(at_, into);
  if (!reader_) reader_ = file_.open();
  return reader_->read(into);
}

void FileStream::go_to(std::uint64_t offset) {
  has_moved_ = true;
  reader_.reset();
  at_ = std::min(offset, file_.stat().size);
}

void FileStream::close() {
  at_ = file_.stat().size;
  reader_.reset();
  ended_ = true;
  problem_.reset();
}

}  // namespace carrack::data
