#include "dataloader/sources/zip_directory.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "dataloader/records/little_endian.h"
#include "dataloader/records/wire.h"

namespace carrack::data {
namespace {

// The first four bytes of each kind of record of a ZIP archive, and the sizes of the records without their names,
// comments and extra fields. See PKWARE's APPNOTE.TXT, section 4.3. All fields below are read at the offsets that it
// gives.
constexpr std::uint32_t end_mark = 0x06054b50, end64_mark = 0x06064b50, locator_mark = 0x07064b50,
                        entry_mark = 0x02014b50;
constexpr std::size_t end_size = 22, end64_size = 56, locator_size = 20, entry_size = 46;
constexpr std::uint64_t directory_max_bytes = std::uint64_t{64} << 20;

template <typename Number>
Number at(std::span<const std::byte> bytes, std::size_t offset) {
  return number_at<Number>(bytes.data() + offset);
}

// Where the directory of an archive is, and how many entries it has.
struct Extent {
  std::uint64_t offset = 0, size = 0, entries = 0;
};

class Directory {
 public:
  explicit Directory(const ByteSource& archive) : archive_(archive), size_(archive.stat().size) {}

  std::variant<std::vector<ZipMember>, Corrupt> members() {
    const std::optional<Extent> extent = find();
    if (!extent) return *fault_;
    if (extent->size > directory_max_bytes || extent->size > size_ || extent->offset > size_ - extent->size)
      return fault(Fault::truncated, "the archive's directory is not where its end says");
    const std::optional<Bytes> bytes = read(extent->offset, extent->size);
    if (!bytes) return *fault_;
    std::vector<ZipMember> found;
    std::span<const std::byte> left = *bytes;
    while (found.size() < extent->entries) {
      std::optional<ZipMember> member = take(left);
      if (!member) return fault(Fault::truncated, "the archive's directory is damaged");
      found.push_back(*std::move(member));
    }
    return found;
  }

 private:
  // Returns where the directory is, as the end record says. A comment may follow the end record, so this searches for
  // the record backwards from the end of the archive. Returns nullopt, and sets fault_, if it finds no directory.
  std::optional<Extent> find() {
    const std::uint64_t tail_size = std::min<std::uint64_t>(size_, end_size + 0xffff);
    const std::optional<Bytes> tail = read(size_ - tail_size, tail_size);
    if (!tail) return std::nullopt;
    for (std::size_t behind = end_size; behind <= tail->size(); ++behind) {
      const auto end = std::span(*tail).last(behind);
      if (at<std::uint32_t>(end, 0) != end_mark || at<std::uint16_t>(end, 20) != behind - end_size) continue;
      if (at<std::uint16_t>(end, 4) != 0 || at<std::uint16_t>(end, 6) != 0) break;  // The archive has several parts.
      const Extent extent{at<std::uint32_t>(end, 16), at<std::uint32_t>(end, 12), at<std::uint16_t>(end, 10)};
      const bool is_zip64 = extent.offset == 0xffffffff || extent.size == 0xffffffff || extent.entries == 0xffff;
      return is_zip64 ? find_zip64(size_ - behind, extent) : extent;
    }
    fault(Fault::wrong_kind, "it does not end as a ZIP archive of one part does");
    return std::nullopt;
  }

  // Returns where the directory is if its offset or size may not fit in the end record. A ZIP64 archive has another
  // record before the end record, with numbers of 64 bits. `end` is the offset of the end record, and `extent` is what
  // the end record says. Returns `extent` if the archive has no ZIP64 record.
  std::optional<Extent> find_zip64(std::uint64_t end, const Extent& extent) {
    if (end < locator_size) return extent;
    const std::optional<Bytes> locator = read(end - locator_size, locator_size);
    if (!locator || at<std::uint32_t>(*locator, 0) != locator_mark)
      return fault_ ? std::nullopt : std::optional(extent);
    const auto offset = at<std::uint64_t>(*locator, 8);
    if (end < locator_size + end64_size || offset > end - locator_size - end64_size) {
      fault(Fault::truncated, "the archive's directory is not where its end says");
      return std::nullopt;
    }
    const std::optional<Bytes> end64 = read(offset, end64_size);
    if (!end64) return std::nullopt;
    if (at<std::uint32_t>(*end64, 0) != end64_mark) {
      fault(Fault::truncated, "the archive's directory is damaged");
      return std::nullopt;
    }
    return Extent{at<std::uint64_t>(*end64, 48), at<std::uint64_t>(*end64, 40), at<std::uint64_t>(*end64, 32)};
  }

  // Removes an entry from the front of `left`, the rest of the directory, and returns it; nullopt if it is damaged.
  static std::optional<ZipMember> take(std::span<const std::byte>& left) {
    if (left.size() < entry_size || at<std::uint32_t>(left, 0) != entry_mark) return std::nullopt;
    ZipMember member;
    member.flags = at<std::uint16_t>(left, 8);
    member.method = at<std::uint16_t>(left, 10);
    member.crc = at<std::uint32_t>(left, 16);
    member.packed_bytes = at<std::uint32_t>(left, 20);
    member.size_bytes = at<std::uint32_t>(left, 24);
    member.offset = at<std::uint32_t>(left, 42);
    const std::size_t name = at<std::uint16_t>(left, 28), extra = at<std::uint16_t>(left, 30),
                      comment = at<std::uint16_t>(left, 32);
    if (left.size() - entry_size < name + extra + comment) return std::nullopt;
    member.name = wire::text_of(left.subspan(entry_size, name));
    if (!take_zip64(left.subspan(entry_size + name, extra), member)) return std::nullopt;
    left = left.subspan(entry_size + name + extra + comment);
    return member;
  }

  // Sets the numbers of `member` that do not fit in 32 bits: in ZIP64 an extra field has them. Returns false if the
  // extra fields are damaged.
  static bool take_zip64(std::span<const std::byte> extra, ZipMember& member) {
    while (extra.size() >= 4) {
      const auto id = at<std::uint16_t>(extra, 0);
      const std::size_t size = at<std::uint16_t>(extra, 2);
      if (extra.size() - 4 < size) return false;
      std::span<const std::byte> field = extra.subspan(4, size);
      extra = extra.subspan(4 + size);
      if (id != 1) continue;
      for (std::uint64_t* number : {&member.size_bytes, &member.packed_bytes, &member.offset}) {
        if (*number != 0xffffffff) continue;
        if (field.size() < 8) return false;
        *number = at<std::uint64_t>(field, 0);
        field = field.subspan(8);
      }
    }
    return true;
  }

  std::optional<Bytes> read(std::uint64_t offset, std::uint64_t size) {
    Bytes bytes(size);
    if (archive_.read_at(offset, bytes) == ReadResult::complete) return bytes;
    fault(Fault::changed, fault_text(Fault::changed));
    return std::nullopt;
  }

  const Corrupt& fault(Fault fault, std::string message) {
    fault_ = {fault, archive_.name(), 0, 0, size_, std::move(message), false, "row"};
    return *fault_;
  }

  const ByteSource& archive_;
  const std::uint64_t size_;
  std::optional<Corrupt> fault_;
};

}  // namespace

std::variant<std::vector<ZipMember>, Corrupt> read_zip_directory(const ByteSource& archive) {
  return Directory(archive).members();
}

}  // namespace carrack::data
