#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "dataloader/crc32c.h"
#include "dataloader/records/file_stream.h"
#include "dataloader/records/first_bytes.h"
#include "dataloader/records/frame.h"
#include "dataloader/records/index.h"
#include "dataloader/records/inflated_source.h"
#include "dataloader/records/record_reader.h"
#include "dataloader/records/seek_point_stream.h"

namespace carrack::data {
namespace {

// Reads the headers and footers of the frames (a frame is a record with its length and checksums), in ascending order.
// It reads one part of the file, the window, at a time. If records are short, the window is long, to save system calls.
// If records are long, the window is short, to skip most of their data.
class FrameEnds {
 public:
  FrameEnds(const ByteSource& file, std::size_t longest)
      : file_(file),
        longest_(std::max(longest, shortest)),
        window_(std::make_unique_for_overwrite<std::byte[]>(longest_)) {}

  // Returns the `size` bytes at `offset`, which must lie within the file. They are valid until the next call. Returns
  // an empty span if the file has changed.
  std::span<const std::byte> at(std::uint64_t offset, std::size_t size) {
    if (offset < begin_ || offset + size > begin_ + size_) {
      const bool records_are_long = offset > begin_ + size_ + longest_;
      begin_ = offset;
      size_ = std::min<std::uint64_t>(records_are_long ? shortest : longest_, file_.stat().size - offset);
      if (file_.read_at(begin_, {window_.get(), size_}) != ReadResult::complete) return {};
    }
    return {window_.get() + (offset - begin_), size};
  }

 private:
  static constexpr std::size_t shortest = std::size_t{4} << 10;

  const ByteSource& file_;
  const std::size_t longest_;
  std::unique_ptr<std::byte[]> window_;
  std::uint64_t begin_ = 0;
  std::size_t size_ = 0;
};

// Returns the number of bytes from the damage at `offset` to the next good record, or to the end of the file. Returns
// nullopt if the file has changed.
std::optional<std::uint64_t> damage_at(const ByteSource& file, std::uint64_t offset) {
  auto stream = std::make_unique<FileStream>(file, FileStream::Content::records, Compression::none, first_bytes);
  std::byte first;
  stream->read({&first, 1});  // go_to() may only be called after a read()
  stream->go_to(offset);
  const auto next = RecordReader(file.name(), std::move(stream)).next();
  const auto* damage = std::get_if<Corrupt>(&next);
  if (damage == nullptr || damage->fault == Fault::changed) return std::nullopt;
  return damage->lost;
}

// Returns why a file that begins with these bytes cannot be indexed; nullopt if it can. Text can be indexed only as a
// damaged record, so not with DamagedFile::refused.
std::optional<std::string> unindexable(std::span<const std::byte> beginning, DamagedFile damage) {
  const Kind kind = kind_of(beginning);
  if (kind == Kind::lfs_pointer) return kind_text(kind);
  if (kind == Kind::unknown && damage == DamagedFile::refused && is_text_and_no_record(beginning)) {
    return text_message;
  }
  return std::nullopt;
}

// Returns the size of the frame with this header, or the fault. `left` is the number of bytes from the beginning of the
// frame to the end of the file. An empty header means that the file has changed.
std::variant<std::uint64_t, Fault> size_at(std::span<const std::byte> header, std::uint64_t left) {
  if (left < frame::header_size) return Fault::truncated;
  if (header.empty()) return Fault::changed;
  const std::optional<std::uint64_t> length = frame::length_in(header.first<frame::header_size>());
  if (!length) return Fault::bad_length;
  if (*length > frame::record_bytes_max) return Fault::too_long;
  if (left < frame::overhead || *length > left - frame::overhead) return Fault::truncated;
  return frame::size_of(*length);
}

// Indexes a file that is not compressed, or the inflated bytes of a compressed file. `stored` is `file` itself in the
// first case, and the compressed file in the second.
std::variant<Index, Corrupt> index_plain(const ByteSource& file, const ByteSource& stored, FrameEnds& ends,
                                         DamagedFile damage) {
  std::vector<std::uint64_t> offsets;
  std::uint32_t contents = 0;
  std::uint64_t offset = 0;
  std::uint64_t left = file.stat().size;
  const auto corrupt = [&](Fault fault) {
    return Corrupt{fault, file.name(), offsets.size(), offset, left, fault_text(fault), file.is_inflated()};
  };
  while (left > 0) {
    const std::span<const std::byte> header = ends.at(offset, std::min<std::uint64_t>(frame::header_size, left));
    contents = crc32c(header, contents);
    const std::variant<std::uint64_t, Fault> found = size_at(header, left);
    std::uint64_t size = 0;
    if (const Fault* fault = std::get_if<Fault>(&found)) {
      if (*fault == Fault::changed || damage == DamagedFile::refused) return corrupt(*fault);
      const std::optional<std::uint64_t> lost = damage_at(file, offset);
      if (!lost) return corrupt(Fault::changed);
      size = *lost;
    } else {
      size = std::get<std::uint64_t>(found);
      // The footer lies next to the header of the next record, so it costs no further read of the file.
      const std::span<const std::byte> footer = ends.at(offset + size - frame::footer_size, frame::footer_size);
      if (footer.empty()) return corrupt(Fault::changed);
      contents = crc32c(footer, contents);
    }
    offsets.push_back(offset);
    offset += size;
    left -= size;
    if (std::optional<Corrupt> too_many = too_many_records(stored, offsets.size())) return *std::move(too_many);
  }
  return Index(file.stat(), offsets, contents);
}

// Continues the checksum `contents` with the header and footer of the record, and returns it. Both lie next to the
// record's data in memory, because a RecordReader reads whole frames.
std::uint32_t with_frame_ends(const Record& record, std::uint32_t contents) {
  contents = crc32c({record.data.data() - frame::header_size, frame::header_size}, contents);
  return crc32c({record.data.data() + record.data.size(), frame::footer_size}, contents);
}

// Inflates the file, and meanwhile indexes its records and finds its seek points (offsets at which inflating can
// begin). If a record is damaged, inflates the rest of the file only to find all seek points. Then it reads the
// inflated bytes again, and indexes them like a file that is not compressed.
std::variant<Index, Corrupt> index_compressed(const ByteSource& file, Compression compression, std::size_t piece,
                                              DamagedFile damage) {
  auto inflating = std::make_unique<SeekPointStream>(file, compression, piece, damage);
  SeekPointStream& stream = *inflating;
  RecordReader reader(file.name(), std::move(inflating), {.piece = std::size_t{256} << 10});
  std::vector<std::uint64_t> offsets;
  std::uint32_t contents = 0;
  std::optional<Corrupt> damaged;
  while (!damaged) {
    const auto next = reader.next();
    if (const auto* records = std::get_if<Records>(&next)) {
      for (const Record& record : records->records) {
        offsets.push_back(record.offset);
        contents = with_frame_ends(record, contents);
      }
      if (std::optional<Corrupt> too_many = too_many_records(file, offsets.size())) return *std::move(too_many);
      continue;
    }
    const auto* corrupt = std::get_if<Corrupt>(&next);
    const ObjectStat inflated_stat{stream.inflated(), file.stat().version};
    if (corrupt == nullptr) return Index(inflated_stat, offsets, contents).with(stream.points());
    const bool is_refused = damage == DamagedFile::refused && corrupt->fault != Fault::bad_data;
    if (is_refused || corrupt->fault == Fault::changed) return *corrupt;
    damaged = *corrupt;
  }
  Bytes unused(piece);
  while (stream.read(unused) > 0) continue;
  if (stream.problem()) return *std::move(damaged);
  const std::unique_ptr<const ByteSource> whole = inflated(
      std::make_unique<const PartOfSource>(file, file.name(), 0, file.stat().size),
      std::make_shared<const SeekPoints>(stream.points()), stream.inflated(), std::make_shared<InflaterCache>());
  FrameEnds ends(*whole, std::size_t{256} << 10);
  std::variant<Index, Corrupt> built = index_plain(*whole, file, ends, damage);
  if (std::holds_alternative<Corrupt>(built)) return built;
  return std::get<Index>(std::move(built)).with(stream.points());
}

// True if at least one byte can be inflated from the beginning of the file on, or the file is valid and inflates to no
// bytes.
bool begins_compressed(const ByteSource& file, Compression compression) {
  SeekPointStream stream(file, compression, std::size_t{4} << 10, DamagedFile::refused);
  std::byte first;
  return stream.read({&first, 1}) > 0 || !stream.problem();
}

// True if a compressed stream that begins after the first byte of the file can be inflated.
bool has_later_stream(const ByteSource& file, Compression compression) {
  SeekPointStream stream(file, compression, scan_piece(file), DamagedFile::indexed);
  Bytes unused(scan_piece(file));
  while (stream.points().points.size() == 1 && stream.read(unused) > 0) continue;
  return stream.points().points.size() > 1;
}

// Returns whether a file that begins like a compressed file is compressed. A record with a damaged length may look like
// such a beginning, too, but then good records follow the damage.
bool is_compressed(const ByteSource& file, Compression compression) {
  if (begins_compressed(file, compression)) return true;
  return damage_at(file, 0) == file.stat().size && has_later_stream(file, compression);
}

}  // namespace

std::optional<Corrupt> too_many_records(const ByteSource& file, std::uint64_t records) {
  constexpr std::uint64_t records_max = std::uint64_t{16} << 20, records_per_byte = 4;
  if (records <= records_max + records_per_byte * file.stat().size) return std::nullopt;
  return Corrupt{Fault::wrong_kind,
                 file.name(),
                 records - 1,
                 0,
                 0,
                 "it inflates to more records than can be indexed, " + std::to_string(records) + " of " +
                     std::to_string(file.stat().size) +
                     " compressed bytes; `carrack data convert` with --shards cuts it into smaller files"};
}

std::size_t scan_piece(const ByteSource& file) {
  return file.is_remote() ? std::size_t{4} << 20 : std::size_t{256} << 10;
}

std::variant<Index, Corrupt> build_index(const ByteSource& file, std::optional<std::size_t> wanted_piece,
                                         DamagedFile damage) {
  const std::size_t piece = wanted_piece.value_or(scan_piece(file));
  FrameEnds ends(file, piece);
  const std::uint64_t size = file.stat().size;
  const auto corrupt = [&](Fault fault, std::string why) {
    return Corrupt{fault, file.name(), 0, 0, size, std::move(why)};
  };
  const std::span<const std::byte> beginning = ends.at(0, std::min<std::uint64_t>(size, first_bytes));
  if (beginning.empty() && size > 0) return corrupt(Fault::changed, fault_text(Fault::changed));
  if (std::optional<std::string> why = unindexable(beginning, damage))
    return corrupt(Fault::wrong_kind, *std::move(why));
  const Compression compression = compression_of(kind_of(beginning));
  if (compression != Compression::none && (damage == DamagedFile::refused || is_compressed(file, compression)))
    return index_compressed(file, compression, piece, damage);
  return index_plain(file, file, ends, damage);
}

}  // namespace carrack::data
