#include "dataloader/pipeline/lanes/file_scan.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "dataloader/crc32c.h"
#include "dataloader/indexes/build_progress.h"
#include "dataloader/records/first_bytes.h"
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

std::optional<Corrupt> FileScan::read(Range records, Frames& to, const std::function<void()>& goes_on) {
  const Range passed{records.begin, std::min<std::uint64_t>(records.end, offsets_.size())};
  if (std::optional<Corrupt> corrupt = read_passed(passed, to)) return corrupt;
  while (!index_ && !ended()) {
    if (ahead_.empty()) {
      // A compressed file is read up to one record further than requested, because only reading finds its end.
      const bool needs_more = offsets_.size() < records.end || inflating_ != nullptr;
      if (!needs_more) break;
      if (std::optional<Corrupt> corrupt = read_more(goes_on)) return corrupt;
      goes_on();
      continue;
    }
    if (offsets_.size() >= records.end) break;
    pass_record(ahead_.front(), offsets_.size() < records.begin ? nullptr : &to);
    ahead_ = ahead_.subspan(1);
  }
  return index_ ? read_indexed({std::max<std::uint64_t>(records.begin, offsets_.size()), records.end}, to)
                : std::nullopt;
}

// Reads records again that pass_record() has counted.
std::optional<Corrupt> FileScan::read_passed(Range records, Frames& to) const {
  const auto extent = [this](std::uint64_t record) {
    const std::uint64_t end = record + 1 < offsets_.size() ? offsets_[record + 1] : end_;
    return Index::Extent{offsets_[record], end - offsets_[record]};
  };
  if (inflating_ == nullptr || records.begin >= records.end) return read_frames(file_, records, extent, to);
  return read_frames(*inflated_by(std::make_shared<const SeekPoints>(inflating_->points()), inflating_->inflated()),
                     records, extent, to);
}

// Reads records by index_, which is only set once damage was found.
std::optional<Corrupt> FileScan::read_indexed(Range records, Frames& to) const {
  const Range in_file{records.begin, std::min(records.end, index_->records())};
  const auto extent = [this](std::uint64_t record) { return index_->at(record); };
  if (!index_->seek_points()) return read_frames(file_, in_file, extent, to);
  return read_frames(*inflated_by(index_->seek_points(), index_->file().size), in_file, extent, to);
}

// Returns the inflated contents of the compressed file, `size` bytes, which can be read from any of the seek points.
std::unique_ptr<const ByteSource> FileScan::inflated_by(std::shared_ptr<const SeekPoints> points,
                                                        std::uint64_t size) const {
  return inflated(std::make_unique<const PartOfSource>(file_, file_.name(), 0, file_.stat().size), std::move(points),
                  size, std::make_shared<InflaterCache>());
}

// Reads the next records of the file into ahead_. At the end of the file, sets inflating_ended_ instead. After damage
// that does not end the reading, sets index_ instead. If this is the first read and the file is compressed, only
// prepares to inflate it.
std::optional<Corrupt> FileScan::read_more(const std::function<void()>& goes_on) {
  std::variant<Records, EndOfFile, Corrupt> next = reader_->next();
  const bool is_first = offsets_.empty() && inflating_ == nullptr;
  if (is_first && reader_->resume() != Seek::at_once) return begin_inflating();
  auto* corrupt = std::get_if<Corrupt>(&next);
  const bool passes_damage = corrupt != nullptr && damage_ == DamagedFile::indexed;
  if (passes_damage || (is_first && !std::holds_alternative<Records>(next))) {
    // Builds the index of the whole file in two cases: to continue after this damage, or because the very first read
    // has failed. If the file cannot be indexed, returns the fault that indexing finds, so that the user gets the same
    // message as from readers with an index. After a failed first read of a file that can be indexed, the code below
    // returns the fault of that read.
    BuildProgress progress(1, file_.stat().size, [&](const IndexingProgress&) { goes_on(); });
    auto built = build_index(ProgressReportingSource(file_, progress), std::nullopt, damage_);
    if (std::holds_alternative<Corrupt>(built)) return std::get<Corrupt>(std::move(built));
    if (passes_damage) {
      index_ = std::get<Index>(std::move(built));
      return std::nullopt;
    }
  }
  if (corrupt != nullptr) return std::move(*corrupt);
  if (const auto* records = std::get_if<Records>(&next)) {
    ahead_ = records->records;
    return inflating_ == nullptr ? std::nullopt : too_many_records(file_, offsets_.size() + ahead_.size());
  }
  if (inflating_ == nullptr) return changed();
  inflating_ended_ = true;
  return std::nullopt;
}

// Replaces reader_ by one that inflates the file from its beginning. The new stream finds the seek points while reader_
// finds the records, so the file is inflated only once.
std::optional<Corrupt> FileScan::begin_inflating() {
  const Compression compression = compression_of(kind_of_file(file_));
  if (compression == Compression::none) return changed();
  auto stream = std::make_unique<SeekPointStream>(file_, compression, scan_piece(file_), DamagedFile::refused);
  inflating_ = stream.get();
  reader_.emplace(file_.name(), std::move(stream));
  return std::nullopt;
}

Corrupt FileScan::changed() const {
  return {Fault::changed, file_.name(), offsets_.size(), end_, file_.stat().size - end_, fault_text(Fault::changed)};
}

// Counts a record as read, and appends its frame (length, data and checksums) to `to` unless that is nullptr. reader_
// returns only the data, so this makes the frame from it. The result has the same bytes as the file, because reader_
// has verified the checksums.
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
  if (inflating_ == nullptr) return Index(file_.stat(), offsets_, contents_);
  return Index({inflating_->inflated(), file_.stat().version}, offsets_, contents_).with(inflating_->points());
}

}  // namespace carrack::data
