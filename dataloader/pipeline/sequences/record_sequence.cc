#include "dataloader/pipeline/sequences/record_sequence.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/memory/recycled.h"
#include "dataloader/pipeline/sequences/block_cache.h"
#include "dataloader/pipeline/sequences/fetch.h"
#include "dataloader/records/frame.h"

namespace carrack::data {
namespace {

// What reading costs, here and behind a network: blocks as large as a request is worth, and so are gaps.
struct Costs {
  std::uint64_t block, gap;
};
constexpr Costs near{std::uint64_t{256} << 10, std::uint64_t{4} << 10};
constexpr Costs far{std::uint64_t{4} << 20, std::uint64_t{512} << 10};

// Records in a row are read at once into memory that was just used, without a block that is kept.
bool lie_together(std::span<const Wanted> sorted) {
  std::uint64_t wanted = 0, gaps = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    wanted += sorted[i].extent.size;
    const bool follows = i > 0 && sorted[i].id.file == sorted[i - 1].id.file;
    if (follows) gaps += sorted[i].extent.offset - sorted[i - 1].extent.offset - sorted[i - 1].extent.size;
  }
  return gaps <= wanted / 8;
}

// What is looked at next is on its way meanwhile: a CPU foresees no leap to another record.
void fetch_into_cache(std::span<const std::byte> bytes) {
  constexpr std::size_t line = 64, most = 16 * line;
  for (std::size_t at = 0; at < std::min(bytes.size(), most); at += line) __builtin_prefetch(bytes.data() + at);
}

// Whether blocks are worth it: as long as not much more is read than is wanted.
class Nearness {
 public:
  Nearness(std::uint64_t all_bytes, RecordReading how, Costs costs)
      : fits_(all_bytes <= how.cache_bytes), tried_(std::max(costs.block * 64, how.cache_bytes / 2)) {}

  bool is_near() const { return is_near_; }
  void add(std::uint64_t wanted, std::uint64_t read_in_all) {
    constexpr std::uint64_t times = 4;
    wanted_ += wanted;
    if (!fits_ && read_in_all > tried_ && read_in_all / times > wanted_) is_near_ = false;
  }

 private:
  const bool fits_;
  const std::uint64_t tried_;
  std::atomic<std::uint64_t> wanted_ = 0;
  std::atomic<bool> is_near_ = true;
};

class RecordSequence final : public Sequence {
 public:
  RecordSequence(std::vector<IndexedFile> files, RecordReading how)
      : files_(std::move(files)),
        costs_(how.is_far ? far : near),
        most_cached_(how.cache_bytes),
        cache_(costs_.block, how.cache_bytes),
        nearness_(bytes_in(files_), how, costs_),
        framed_(how.framed) {
    for (const IndexedFile& file : files_) {
      if (file.index.file() != file.source->stat())
        throw Error(file.source->name() + ": its index is that of another version; make it anew");
      ends_.push_back(size() + file.index.records());
      names_.push_back(std::make_shared<const std::string>(file.source->name()));
    }
    if (size() > 0) element_bytes_ = bytes_in(files_) / size();
  }

  std::uint64_t size() const override { return ends_.empty() ? 0 : ends_.back(); }
  std::uint64_t element_bytes() const override { return element_bytes_; }

  Rows read(std::span<const Place> places) const override {
    std::vector<Wanted> wanted = wanted_at(places);
    sort(wanted);
    Rows rows;
    const bool by_blocks =
        nearness_.is_near() && element_bytes_ * 4 <= costs_.block && !lie_together(wanted) && fit_into_cache(wanted);
    if (by_blocks) {
      find(wanted, rows);
    } else {
      fetch_each(wanted, rows);
    }
    LargeVector<std::string_view> records(places.size());
    rows.origins.resize(places.size());
    rows.count = places.size();
    rows.places.assign(places.begin(), places.end());
    std::vector<BadRow> bad;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (i + 1 < wanted.size()) fetch_into_cache(wanted[i + 1].frame);
      const Wanted& one = wanted[i];
      const bool ends_the_file = one.extent.offset + one.extent.size == files_[one.id.file].index.file().size;
      const auto fault = framed_ ? frame::fault_in(one.frame, ends_the_file) : std::nullopt;
      if (fault == Fault::changed) throw Error(text(corrupt(one, *fault)));
      if (fault)
        bad.push_back({one.row, corrupt(one, *fault)});
      else
        records[one.row] = record_in(one.frame);
      rows.origins[one.row] = {names_[one.id.file], one.id.record, one.extent.offset};
    }
    rows.columns.push_back({"record", std::move(records)});
    lose(rows, std::move(bad));
    return rows;
  }

 private:
  std::string_view record_in(std::span<const std::byte> bytes) const {
    if (framed_) bytes = bytes.subspan(frame::header_size, bytes.size() - frame::overhead);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  static std::uint64_t bytes_in(const std::vector<IndexedFile>& files) {
    std::uint64_t bytes = 0;
    for (const IndexedFile& file : files) bytes += file.index.file().size;
    return bytes;
  }

  // Whether the blocks that these lie in, which are held at once, are no more than may be kept.
  bool fit_into_cache(std::span<const Wanted> sorted) const {
    std::uint64_t blocks = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const bool same = i > 0 && sorted[i].id.file == sorted[i - 1].id.file &&
                        block_of(sorted[i].extent.offset) == block_of(sorted[i - 1].extent.offset);
      blocks += same ? 0 : 1;
    }
    return blocks * costs_.block <= most_cached_;
  }

  // Both point each of `wanted` to its bytes.
  void fetch_each(std::span<Wanted> wanted, Rows& rows) const {
    Fetched fetched = fetch(files_, wanted, costs_.gap);
    if (fetched.changed != nullptr) throw Error(*names_[fetched.changed->id.file] + ": " + fault_text(Fault::changed));
    rows.memory.push_back(std::move(fetched.memory));
  }
  void find(std::span<Wanted> wanted, Rows& rows) const {
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < wanted.size();) {
      std::size_t end = i;
      for (; end < wanted.size() && wanted[end].id.file == wanted[i].id.file; ++end) bytes += wanted[end].extent.size;
      find_in_file(wanted.subspan(i, end - i), rows);
      i = end;
    }
    nearness_.add(bytes, cache_.bytes_read());
  }
  // A record that lies in two blocks or more is copied.
  void find_in_file(std::span<Wanted> wanted, Rows& rows) const {
    std::vector<std::uint64_t> numbers;
    std::uint64_t copied = 0;
    for (const Wanted& one : wanted) {
      const std::uint64_t first = block_of(one.extent.offset), last = block_of(one.extent.offset + one.extent.size - 1);
      for (std::uint64_t number = first; number <= last; ++number)
        if (numbers.empty() || number > numbers.back()) numbers.push_back(number);
      if (first != last) copied += one.extent.size;
    }
    const std::size_t file = wanted.front().id.file;
    const std::vector<BlockCache::Memory> blocks = cache_.get(file, *files_[file].source, numbers);
    std::shared_ptr<std::byte[]> copies;
    if (copied > 0) rows.memory.push_back(copies = shared_memory(copied));
    std::byte* free = copies.get();
    std::size_t at = 0;
    for (Wanted& one : wanted) {
      while (numbers[at] != block_of(one.extent.offset)) ++at;
      const std::uint64_t inside = one.extent.offset - numbers[at] * costs_.block;
      if (inside + one.extent.size <= costs_.block) {
        one.frame = {blocks[at].get() + inside, one.extent.size};
        continue;
      }
      one.frame = {free, one.extent.size};
      std::uint64_t from = inside;
      for (std::size_t block = at; free < one.frame.data() + one.extent.size; ++block, from = 0) {
        const auto left = static_cast<std::uint64_t>(one.frame.data() + one.extent.size - free);
        const std::uint64_t part = std::min(left, costs_.block - from);
        std::memcpy(free, blocks[block].get() + from, part);
        free += part;
      }
    }
    rows.memory.insert(rows.memory.end(), blocks.begin(), blocks.end());
  }
  std::uint64_t block_of(std::uint64_t offset) const { return offset / costs_.block; }

  std::vector<Wanted> wanted_at(std::span<const Place> places) const {
    std::vector<Wanted> wanted;
    wanted.reserve(places.size());
    std::size_t file = 0;
    for (const Place& place : places) {
      if (!holds(file, place.number))
        file = static_cast<std::size_t>(std::ranges::upper_bound(ends_, place.number) - ends_.begin());
      const RecordId id{file, place.number - begin_of(file)};
      wanted.push_back({id, wanted.size(), files_[file].index.at(id.record)});
    }
    return wanted;
  }
  std::uint64_t begin_of(std::size_t file) const { return file > 0 ? ends_[file - 1] : 0; }
  bool holds(std::size_t file, std::uint64_t number) const { return number >= begin_of(file) && number < ends_[file]; }
  Corrupt corrupt(const Wanted& record, Fault fault) const {
    return {fault, *names_[record.id.file],   record.id.record, record.extent.offset, record.extent.size, fault_text(fault),
            false, framed_ ? "record" : "row"};
  }

  std::vector<IndexedFile> files_;
  std::vector<std::uint64_t> ends_;  // of each file, the number of records in it and those before
  std::vector<std::shared_ptr<const std::string>> names_;
  std::uint64_t element_bytes_ = 0;
  const Costs costs_;
  const std::uint64_t most_cached_;
  mutable BlockCache cache_;
  mutable Nearness nearness_;
  const bool framed_;
};

}  // namespace

std::uint64_t record_block(bool is_far) {
  return (is_far ? far : near).block;
}

SequencePtr records_of(std::vector<IndexedFile> files, RecordReading how) {
  return std::make_shared<RecordSequence>(std::move(files), how);
}

}  // namespace carrack::data
