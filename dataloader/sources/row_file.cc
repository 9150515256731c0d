#include "dataloader/sources/row_file.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "dataloader/records/first_bytes.h"
#include "dataloader/records/wire.h"

namespace carrack::data {

RowFile::RowFile(const ByteSource& file, std::size_t piece)
    : name_(file.name()),
      stream_(file, FileStream::Content::text, std::nullopt, std::max(piece, first_bytes)),
      capacity_(std::max(piece, first_bytes)),
      memory_(std::make_unique_for_overwrite<std::byte[]>(capacity_)) {}

std::optional<Corrupt> RowFile::begin() {
  more();
  const std::string_view text = wire::text_of(bytes());
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    return close(Fault::wrong_kind, "it is UTF-16; write it as UTF-8");
  if (text.starts_with("\xef\xbb\xbf")) pass(3, 0);
  return std::nullopt;
}

std::optional<Corrupt> RowFile::go_to(TextPlace place) {
  if (place.offset <= offset_) return std::nullopt;
  if (!pass_to(place.offset) && !problem())
    return close(Fault::changed,
                 "the file ends before byte " + std::to_string(place.offset) + ", where it was to be gone on with");
  row_ = place.row;
  return std::nullopt;
}

// Makes bytes() begin at `offset`. If the file is not compressed, does not read the bytes before `offset`. Returns
// false if the file ends before `offset`, or there is a problem().
bool RowFile::pass_to(std::uint64_t offset) {
  while (offset - offset_ > bytes().size()) {
    pass(bytes().size(), 0);
    if (!more()) return false;
    if (stream_.inflates() || offset - offset_ <= bytes().size()) continue;
    const bool is_there = offset - offset_ - bytes().size() <= stream_.left();
    stream_.go_to(offset);
    begin_ = end_;
    offset_ = offset;
    return is_there;
  }
  pass(offset - offset_, 0);
  return true;
}

bool RowFile::more() {
  if (problem()) return false;
  const std::size_t size = bytes().size();
  if (size > capacity_ / 2) {  // A larger buffer is needed: in this one, each call would move more bytes than it reads.
    auto larger = std::make_unique_for_overwrite<std::byte[]>(2 * capacity_);
    std::memcpy(larger.get(), memory_.get() + begin_, size);
    memory_ = std::move(larger);
    capacity_ *= 2;
  } else {
    std::memmove(memory_.get(), memory_.get() + begin_, size);
  }
  begin_ = 0;
  const std::size_t added = stream_.read({memory_.get() + size, capacity_ - size});
  end_ = size + added;
  return added > 0;
}

void RowFile::find_lines(std::size_t most, std::vector<std::size_t>& ends) {
  ends.clear();
  for (std::size_t at = 0;;) {
    const std::span<const std::byte> bytes = this->bytes();
    while (ends.size() < most && at < bytes.size()) {
      const void* const found = std::memchr(bytes.data() + at, '\n', bytes.size() - at);
      at = found == nullptr ? bytes.size()
                            : static_cast<std::size_t>(static_cast<const std::byte*>(found) - bytes.data()) + 1;
      if (found != nullptr) ends.push_back(at);
    }
    if (ends.size() >= most || bytes.size() >= row_bytes_max) return;
    if (more()) continue;
    const bool is_last = !problem() && at > (ends.empty() ? 0 : ends.back());
    if (is_last) ends.push_back(at);
    return;
  }
}

std::span<char> RowFile::line(std::size_t begin, std::size_t end) const {
  const std::span<std::byte> line = bytes().subspan(begin, end - begin);
  return {reinterpret_cast<char*>(line.data()), line.size() - (line.back() == std::byte{'\n'} ? 1 : 0)};
}

void RowFile::pass(std::size_t size, std::size_t rows) {
  begin_ += size;
  offset_ += size;
  row_ += rows;
}

Corrupt RowFile::corrupt(Fault fault, std::size_t at, std::string message, std::size_t rows) const {
  return {fault, name_, row_ + rows, offset_ + at, 0, std::move(message), stream_.inflates(), "row"};
}

void RowFile::lose(Corrupt corrupt, std::size_t size) {
  corrupt.lost = size;
  lost_ = std::move(corrupt);
}

std::optional<Corrupt> RowFile::lost() {
  if (!lost_) return std::nullopt;
  pass(lost_->lost, 1);
  reach_ = 1;
  return std::exchange(lost_, std::nullopt);
}

std::size_t RowFile::rows_to_parse(std::size_t most) {
  const std::size_t rows = std::min(most, reach_);
  reach_ = reach_ > std::numeric_limits<std::size_t>::max() / 2 ? reach_ : 2 * reach_;
  return rows;
}

Corrupt RowFile::close(Fault fault, std::string message) {
  Corrupt found = corrupt(fault, 0, std::move(message));
  const std::uint64_t to_come = stream_.left();
  found.lost = bytes().size() + (to_come == ByteStream::unknown ? 0 : to_come);
  begin_ = end_;
  stream_.close();
  return found;
}

}  // namespace carrack::data
