#include "dataloader/pipeline/sequences/record_sequence.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/memory/recycled.h"
#include "dataloader/pipeline/rows/runs.h"
#include "dataloader/pipeline/sequences/block_cache.h"
#include "dataloader/pipeline/sequences/fetch.h"
#include "dataloader/pipeline/sequences/parts.h"
#include "dataloader/records/frame.h"
#include "dataloader/records/index.h"

namespace carrack::data {
namespace {

// `block_bytes` is the size of a block of the cache. `gap_bytes` is the maximum number of bytes between two records
// that share a read, which then reads these bytes, too. Both are larger for files where it takes longer to begin a
// read.
struct ReadSizes {
  std::uint64_t block_bytes, gap_bytes;
};
constexpr ReadSizes local{std::uint64_t{256} << 10, std::uint64_t{4} << 10};
// For remote files, where each read is a request, and for compressed files, where each read first inflates earlier
// bytes.
constexpr ReadSizes remote{std::uint64_t{4} << 20, std::uint64_t{512} << 10};

// Returns whether there are few other bytes between these records, which are sorted by file and offset. Such records
// are read together, and not through the cache of blocks.
bool are_contiguous(std::span<const RecordRequest> sorted) {
  std::uint64_t wanted = 0, gaps = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    wanted += sorted[i].extent.size;
    const bool follows = i > 0 && sorted[i].id.file == sorted[i - 1].id.file;
    if (follows) gaps += sorted[i].extent.offset - sorted[i - 1].extent.offset - sorted[i - 1].extent.size;
  }
  return gaps <= wanted / 8;
}

// Loads the beginning of the next record into the CPU's cache, since the CPU cannot predict a jump to another record.
void prefetch(std::span<const std::byte> bytes) {
  constexpr std::size_t line = 64, bytes_max = 16 * line;
  for (std::size_t at = 0; at < std::min(bytes.size(), bytes_max); at += line) __builtin_prefetch(bytes.data() + at);
}

// The number of a place, and its index among the places of the call.
using NumberedRow = std::pair<std::uint64_t, std::size_t>;

// Returns the places sorted by number. Sorts these pairs and not RecordRequests, because requests are larger and would
// take longer to sort.
std::vector<NumberedRow> sorted(std::span<const Place> places) {
  std::vector<NumberedRow> rows;
  rows.reserve(places.size());
  for (const Place& place : places) rows.emplace_back(place.number, rows.size());
  if (!std::ranges::is_sorted(rows)) std::ranges::sort(rows);
  return rows;
}

// Decides whether to read records through the cache of blocks. If the blocks that were read have many times the bytes
// of the requested records, the cache reads more than it saves. Reading in blocks then ends for good. Thread-safe.
class BlockPolicy {
 public:
  BlockPolicy(std::uint64_t all_bytes, RecordSequenceOptions options, ReadSizes sizes)
      : fits_in_cache_(all_bytes <= options.cache_bytes),
        trial_bytes_(std::max(sizes.block_bytes * 64, options.cache_bytes / 2)) {}

  bool uses_blocks() const { return uses_blocks_; }
  // Counts the bytes that a call requested. `all_read_bytes` are the bytes of all blocks that all calls have read.
  void add(std::uint64_t requested_bytes, std::uint64_t all_read_bytes) {
    constexpr std::uint64_t waste_max = 4;
    requested_bytes_ += requested_bytes;
    if (!fits_in_cache_ && all_read_bytes > trial_bytes_ && all_read_bytes / waste_max > requested_bytes_)
      uses_blocks_ = false;
  }

 private:
  const bool fits_in_cache_;
  const std::uint64_t trial_bytes_;  // Blocks of this total size are read before their use is judged.
  std::atomic<std::uint64_t> requested_bytes_ = 0;
  std::atomic<bool> uses_blocks_ = true;
};

// Reads records by their places. Thread-safe.
class PlacedRecords {
 public:
  PlacedRecords(std::vector<IndexedFile> files, RecordSequenceOptions options)
      : files_(std::move(files)),
        is_inflated_(std::ranges::any_of(files_, [](const IndexedFile& file) { return file.source->is_inflated(); })),
        sizes_(options.is_remote || is_inflated_ ? remote : local),
        cache_bytes_(options.cache_bytes),
        cache_(sizes_.block_bytes, options.cache_bytes),
        policy_(bytes_in(files_), options, sizes_),
        framed_(options.framed) {
    for (const IndexedFile& file : files_) {
      if (file.index.file() != file.source->stat())
        throw Error(file.source->name() + ": its index is that of another version; make it again");
      parts_.add(file.index.records());
      names_.push_back(std::make_shared<const std::string>(file.source->name()));
    }
    if (parts_.size() > 0) element_bytes_ = bytes_in(files_) / parts_.size();
  }

  SequenceShape shape() const { return {.size = parts_.size(), .element_bytes = element_bytes_}; }

  Rows read(std::span<const Place> places) {
    std::vector<RecordRequest> requests = requests_at(places);
    Rows rows;
    // Contiguous records are read without blocks. But each read of a compressed file also inflates bytes before the
    // requested ones. So there, contiguous records are read in blocks, too, unless they have at least about half the
    // size of a block.
    const bool is_long = !is_inflated_ || element_bytes_ * requests.size() >= sizes_.block_bytes / 2;
    const bool by_blocks = policy_.uses_blocks() && element_bytes_ * 4 <= sizes_.block_bytes &&
                           !(is_long && are_contiguous(requests)) && fit_into_cache(requests);
    if (by_blocks) {
      read_in_blocks(requests, rows);
    } else {
      fetch_each(requests, rows);
    }
    LargeVector<std::string_view> records(places.size());
    rows.origins.resize(places.size());
    rows.count = places.size();
    rows.places.assign(places.begin(), places.end());
    std::vector<BadRow> bad;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (i + 1 < requests.size()) prefetch(requests[i + 1].frame);
      const RecordRequest& one = requests[i];
      const IndexedFile& file = files_[one.id.file];
      const bool ends_the_file = one.extent.offset + one.extent.size == file.index.file().size;
      const auto fault = framed_ ? frame::fault_in(one.frame, ends_the_file, file.source->is_inflated()) : std::nullopt;
      if (fault == Fault::changed) throw Error(text(corrupt(one, *fault)));
      if (fault)
        bad.push_back({one.row, is_first_of_file(one) ? corrupt_beginning(one, *fault) : corrupt(one, *fault)});
      else
        records[one.row] = record_in(one.frame);
      rows.origins[one.row] = {names_[one.id.file], one.id.record, one.extent.offset};
    }
    rows.columns.push_back({"record", std::move(records)});
    drop_bad_rows(rows, std::move(bad));
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

  // Returns whether the blocks that contain these records fit into the cache together, since a call needs all of them
  // at the same time.
  bool fit_into_cache(std::span<const RecordRequest> sorted) const {
    std::uint64_t blocks = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const bool same = i > 0 && sorted[i].id.file == sorted[i - 1].id.file &&
                        block_of(sorted[i].extent.offset) == block_of(sorted[i - 1].extent.offset);
      blocks += same ? 0 : 1;
    }
    return blocks * sizes_.block_bytes <= cache_bytes_;
  }

  // fetch_each() and read_in_blocks() read the records, set the frame of each request, and add the memory to `rows`.
  void fetch_each(std::span<RecordRequest> requests, Rows& rows) const {
    FetchResult fetched = fetch(files_, requests, sizes_.gap_bytes);
    if (fetched.changed != nullptr) throw Error(*names_[fetched.changed->id.file] + ": " + fault_text(Fault::changed));
    rows.memory.push_back(std::move(fetched.memory));
  }
  void read_in_blocks(std::span<RecordRequest> requests, Rows& rows) {
    std::uint64_t bytes = 0;
    for (const RecordRequest& one : requests) bytes += one.extent.size;
    const auto is_in_same_file = [&](std::size_t i) { return requests[i].id.file == requests[i - 1].id.file; };
    for_each_run(requests.size(), is_in_same_file,
                 [&](Range run) { read_blocks_of_file(requests.subspan(run.begin, run.size()), rows); });
    policy_.add(bytes, cache_.bytes_read());
  }
  // Reads the blocks of one file, and sets frames that point into them. A record that is in several blocks is copied
  // into one piece of memory.
  void read_blocks_of_file(std::span<RecordRequest> requests, Rows& rows) {
    std::vector<std::uint64_t> numbers;
    std::uint64_t copied = 0;
    for (const RecordRequest& one : requests) {
      const std::uint64_t first = block_of(one.extent.offset), last = block_of(one.extent.offset + one.extent.size - 1);
      for (std::uint64_t number = first; number <= last; ++number)
        if (numbers.empty() || number > numbers.back()) numbers.push_back(number);
      if (first != last) copied += one.extent.size;
    }
    const std::size_t file = requests.front().id.file;
    const std::vector<BlockCache::Memory> blocks = cache_.get(file, *files_[file].source, numbers);
    std::shared_ptr<std::byte[]> copies;
    if (copied > 0) rows.memory.push_back(copies = pooled_buffer(copied));
    std::byte* free = copies.get();
    std::size_t at = 0;
    for (RecordRequest& one : requests) {
      while (numbers[at] != block_of(one.extent.offset)) ++at;
      const std::uint64_t inside = one.extent.offset - numbers[at] * sizes_.block_bytes;
      if (inside + one.extent.size <= sizes_.block_bytes) {
        one.frame = {blocks[at].get() + inside, one.extent.size};
        continue;
      }
      one.frame = {free, one.extent.size};
      std::uint64_t from = inside;
      for (std::size_t block = at; free < one.frame.data() + one.extent.size; ++block, from = 0) {
        const auto left = static_cast<std::uint64_t>(one.frame.data() + one.extent.size - free);
        const std::uint64_t part = std::min(left, sizes_.block_bytes - from);
        std::memcpy(free, blocks[block].get() + from, part);
        free += part;
      }
    }
    rows.memory.insert(rows.memory.end(), blocks.begin(), blocks.end());
  }
  std::uint64_t block_of(std::uint64_t offset) const { return offset / sizes_.block_bytes; }

  // Returns the requests for these places, sorted by file and record, and therefore also by offset.
  std::vector<RecordRequest> requests_at(std::span<const Place> places) const {
    std::vector<RecordRequest> requests;
    requests.reserve(places.size());
    std::size_t file = 0;
    Range of_file;
    for (const auto& [number, row] : sorted(places)) {
      if (number < of_file.begin || number >= of_file.end) {
        file = parts_.at(number).part;
        of_file = parts_.range(file);
      }
      const RecordId id{file, number - of_file.begin};
      requests.push_back({id, row, files_[file].index.at(id.record)});
    }
    return requests;
  }
  static bool is_first_of_file(const RecordRequest& record) { return record.extent.offset == 0; }
  // Returns the damage of the first record of a file. Perhaps the file has no records at all, for example because it is
  // a text file. Then build_index() finds out what it is, and the message says that.
  Corrupt corrupt_beginning(const RecordRequest& record, Fault fault) const {
    Corrupt known = corrupt(record, fault);
    if (fault == Fault::bad_data) return known;
    const auto built = build_index(*files_[record.id.file].source);
    const Corrupt* const found = std::get_if<Corrupt>(&built);
    if (found == nullptr || found->record > 0) return known;
    if (found->fault == Fault::changed) throw Error(text(*found));
    known.fault = found->fault;
    known.message = found->message;
    known.inflated = known.inflated || found->inflated;
    return known;
  }
  Corrupt corrupt(const RecordRequest& record, Fault fault) const {
    return {fault,
            *names_[record.id.file],
            record.id.record,
            record.extent.offset,
            record.extent.size,
            fault_text(fault),
            files_[record.id.file].source->is_inflated(),
            framed_ ? "record" : "row"};
  }

  std::vector<IndexedFile> files_;
  Parts parts_;  // the records of each file
  std::vector<std::shared_ptr<const std::string>> names_;
  std::uint64_t element_bytes_ = 0;
  const bool is_inflated_;  // whether any file is compressed
  const ReadSizes sizes_;
  const std::uint64_t cache_bytes_;
  // Both are thread-safe, and do not change what read() returns.
  BlockCache cache_;
  BlockPolicy policy_;
  const bool framed_;
};

}  // namespace

std::uint64_t record_block_bytes(bool is_remote) {
  return (is_remote ? remote : local).block_bytes;
}

Sequence record_sequence(std::vector<IndexedFile> files, RecordSequenceOptions options) {
  const auto records = std::make_shared<PlacedRecords>(std::move(files), options);
  return sequence_of(records->shape(), records);
}

}  // namespace carrack::data
