#include "dataloader/pipeline/lanes/file_scan.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "dataloader/crc32c.h"
#include "dataloader/records/frame.h"
#include "dataloader/records/inflated_source.h"

namespace carrack::data {

std::optional<Corrupt> read_frames(const ByteSource& file, Range records,
                                   const std::function<Index::Extent(std::uint64_t)>& extent, Frames& to) {
  if (records.begin >= records.end) return std::nullopt;
  const auto corrupt = [&](std::uint64_t record, Fault fault) {
    const auto [offset, size] = extent(record);
    return Corrupt{fault, file.name(), record, offset, size, fault_text(fault), file.is_inflated()};
  };
  const std::uint64_t begin = extent(records.begin).offset;
  const Index::Extent last = extent(records.end - 1);
  const std::uint64_t before = to.bytes.size();
  to.bytes.resize(before + last.offset + last.size - begin);
  const Slice slice{begin, std::span(to.bytes).subspan(before)};
  if (file.read({&slice, 1}) != ReadResult::complete) return corrupt(records.begin, Fault::changed);
  for (std::uint64_t record = records.begin; record < records.end; ++record) {
    const auto [offset, size] = extent(record);
    const Range range{before + offset - begin, before + offset - begin + size};
    const std::span<const std::byte> frame = std::span(to.bytes).subspan(range.begin, size);
    const bool ends_the_file = offset + size == file.stat().size;
    const auto fault = frame::fault_in(frame, ends_the_file, file.is_inflated());
    if (fault == Fault::changed) return corrupt(record, *fault);
    if (fault) {
      to.lost.push_back({to.requested(), corrupt(record, *fault)});
    } else {
      to.frames.push_back({record, offset, range});
    }
  }
  return std::nullopt;
}

std::optional<Corrupt> FileScan::read(Range records, Frames& to) {
  const auto extent = [this](std::uint64_t record) {
    const std::uint64_t end = record + 1 < offsets_.size() ? offsets_[record + 1] : end_;
    return Index::Extent{offsets_[record], end - offsets_[record]};
  };
  const Range passed{records.begin, std::min<std::uint64_t>(records.end, offsets_.size())};
  if (std::optional<Corrupt> corrupt = read_frames(file_, passed, extent, to)) return corrupt;
  while (!index_ && offsets_.size() < records.end && !ended()) {
    if (ahead_.empty()) {
      if (std::optional<Corrupt> corrupt = read_more()) return corrupt;
      continue;
    }
    pass_record(ahead_.front(), offsets_.size() < records.begin ? nullptr : &to);
    ahead_ = ahead_.subspan(1);
  }
  if (!index_) return std::nullopt;
  return read_indexed({std::max<std::uint64_t>(records.begin, offsets_.size()), records.end}, to);
}

std::optional<Corrupt> FileScan::read_indexed(Range records, Frames& to) const {
  const Range in_file{records.begin, std::min(records.end, index_->records())};
  const auto extent = [&](std::uint64_t record) { return index_->at(record); };
  if (!index_->seek_points()) return read_frames(file_, in_file, extent, to);
  const std::unique_ptr<const ByteSource> bytes =
      inflated(std::make_unique<const PartOfSource>(file_, file_.name(), 0, file_.stat().size), index_->seek_points(),
               index_->file().size, std::make_shared<WaitingInflaters>());
  return read_frames(*bytes, in_file, extent, to);
}

std::optional<Corrupt> FileScan::read_more() {
  std::variant<Records, EndOfFile, Corrupt> next = reader_.next();
  const auto* records = std::get_if<Records>(&next);
  auto* corrupt = std::get_if<Corrupt>(&next);
  const bool goes_on = corrupt != nullptr && damage_ == Damage::indexed;
  if (goes_on || (offsets_.empty() && (records == nullptr || reader_.resume() != Seek::at_once))) {
    // There is damage to go on behind, or the first read failed, or the file is compressed. If it cannot be indexed,
    // return the fault of indexing, as readers with an index do; else the one found here.
    auto built = build_index(file_, std::nullopt, damage_);
    if (std::holds_alternative<Corrupt>(built)) return std::get<Corrupt>(built);
    if (goes_on || std::get<Index>(built).seek_points()) {
      index_ = std::get<Index>(std::move(built));
      return std::nullopt;
    }
  }
  if (corrupt != nullptr) return std::move(*corrupt);
  if (records == nullptr) {
    return Corrupt{
        Fault::changed, file_.name(), offsets_.size(), end_, file_.stat().size - end_, fault_text(Fault::changed)};
  }
  ahead_ = records->records;
  return std::nullopt;
}

// Builds the frame again, which has the same bytes as in the file, as its checksums were right.
void FileScan::pass_record(const Record& record, Frames* to) {
  Bytes unused;
  Bytes& bytes = to == nullptr ? unused : to->bytes;
  const std::size_t begin = bytes.size();
  frame::append(bytes, record.data);
  const std::span<const std::byte> whole = std::span(bytes).subspan(begin);
  contents_ = crc32c(whole.first(frame::header_size), contents_);
  contents_ = crc32c(whole.last(frame::footer_size), contents_);
  if (to != nullptr) to->frames.push_back({offsets_.size(), record.offset, {begin, bytes.size()}});
  offsets_.push_back(record.offset);
  end_ = record.offset + whole.size();
}

std::optional<Index> FileScan::index() const {
  if (index_) return index_;
  if (!ended()) return std::nullopt;
  return Index(file_.stat(), offsets_, contents_);
}

}  // namespace carrack::data
