#include "dataloader/pipeline/stages/write_snapshot.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/execution/parallel.h"
#include "dataloader/indexes/shares.h"
#include "dataloader/mutex.h"
#include "dataloader/pipeline/snapshots/snapshot_shard.h"
#include "dataloader/pipeline/stages/row_stages.h"
#include "dataloader/records/frame.h"

namespace carrack::data {
namespace {

// The column types of the rows, which must be the same for all rows. Thread-safe.
class SharedTypes {
 public:
  void add(const std::vector<ColumnType>& types) {
    const MutexLock lock(mutex_);
    if (!types_) {
      check_writable(types);
      types_ = types;
    }
    if (types == *types_) return;
    // Sorts the two descriptions, so that the message does not depend on which thread came first.
    const std::string one = describe(types), other = describe(*types_);
    throw Error("snapshot: its rows are not all alike: some have " + std::min(one, other) + ", and others " +
                std::max(one, other));
  }
  std::vector<ColumnType> types() const {
    const MutexLock lock(mutex_);
    return types_.value_or(std::vector<ColumnType>());
  }

 private:
  static std::string describe(const std::vector<ColumnType>& types) {
    std::string all;
    for (const ColumnType& type : types) all += (all.empty() ? "" : "; ") + carrack::data::describe(type);
    return "(" + all + ")";
  }

  mutable Mutex mutex_;
  std::optional<std::vector<ColumnType>> types_ GUARDED_BY(mutex_);
};

// Returns the rows of a stream one by one, as Examples. Throws an Error for a lost row, unless lost rows are skipped.
class ExampleReader {
 public:
  // `function` makes Examples of the rows. If it is empty, the rows must be Examples.
  ExampleReader(StreamPtr stream, RowsFunction function, OnDamage on_damage)
      : stream_(std::move(stream)), function_(std::move(function)), on_damage_(on_damage) {}

  // Returns the next Example, valid until the next call; nullopt at the end.
  std::optional<std::string_view> next() {
    while (used_ == chunk_.count) {
      std::optional<Rows> next = stream_->next();
      if (!next) return std::nullopt;
      chunk_ = *std::move(next);
      used_ = 0;
      for (Lost& lost : chunk_.lost) {
        // A file that has changed may have other rows, so this is not a single bad row that may be skipped.
        if (on_damage_ == OnDamage::stop || lost.why.fault == Fault::changed) throw Error(text(lost.why));
        lost_.push_back(std::move(lost.why));
      }
      if (function_ && chunk_.count > 0) function_(chunk_);
    }
    return std::get<LargeVector<std::string_view>>(chunk_.columns.front().values)[used_++];
  }
  // Returns the rows that were lost since the last call of take_lost().
  std::vector<Corrupt> take_lost() { return std::exchange(lost_, {}); }

 private:
  StreamPtr stream_;
  RowsFunction function_;
  OnDamage on_damage_;
  Rows chunk_;
  std::size_t used_ = 0;
  std::vector<Corrupt> lost_;
};

class SnapshotWriter {
 public:
  SnapshotWriter(const SnapshotFolder& folder, const SnapshotOptions& options, const OpenContext& context)
      : folder_(folder),
        options_(options),
        context_(context),
        to_examples_(context.profile.timed("write snapshot", [types = types_](Rows& rows) {
          types->add(types_of(rows));
          to_examples(rows);
        })) {}

  SnapshotManifest run(Opened input) {
    if (input.is_sequence()) {
      write_sequence(input.sequence());
    } else {
      write_stream(std::move(input));
    }
    return join_parts();
  }

 private:
  // Writes several files at the same time, because each file is compressed and checksummed by one thread.
  void write_sequence(const Sequence& sequence) {
    constexpr std::size_t threads_max = 16;  // Each thread may have a part of an upload in memory.
    const std::uint64_t size = sequence.size(), rows = shard_rows(sequence);
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t begin = 0; begin < size; begin += rows) sizes.push_back(std::min(rows, size - begin));
    parts_.resize(sizes.size());
    const std::size_t threads = std::min<std::size_t>(context_.workers.threads(), threads_max);
    // All files together have the limit of bytes that are computed ahead, so each file has a part of it.
    OpenContext each = context_;
    each.ahead.bytes /= threads;
    const auto make = [&](std::size_t number) {
      if (parts_[number]) return true;
      if ((parts_[number] = folder_.part(number))) {
        add_bytes(parts_[number]->shards.front().inflated);
      } else {
        const ElementRange range{.begin = number * rows, .end = number * rows + sizes[number]};
        ExampleReader rows_of_file = example_reader(opened_sequence(reordered(sequence, ranged(size, range))), each);
        parts_[number] = write_file(number, rows_of_file, sizes[number]);
      }
      const SnapshotShard& shard = parts_[number]->shards.front();
      if (shard.rows + shard.lost != sizes[number]) throw_other_row_count(number);
      return true;
    };
    // Several processes may write the snapshot. Each writes its own share first, and then files of others that are
    // missing.
    const Share share{context_.share.index, context_.share.count};
    for_each_parallel(own_share(sizes, share), threads, make);
    for_each_parallel(helping_order(sizes.size(), share), threads, make);
  }

  // Only the last file has fewer than `rows` rows. If any file is missing, all rows are read from the beginning, and
  // the rows of existing files are skipped.
  void write_stream(Opened input) {
    constexpr std::uint64_t default_rows = 65'536;
    const std::uint64_t rows = options_.shard_rows > 0 ? options_.shard_rows : default_rows;
    while (std::optional<SnapshotManifest> part = folder_.part(parts_.size())) {
      parts_.push_back(std::move(part));
      if (parts_.back()->shards.front().rows < rows) return;
    }
    parts_.clear();
    ExampleReader reader = example_reader(std::move(input), context_);
    do {
      const std::size_t number = parts_.size();
      std::optional<SnapshotManifest> part = folder_.part(number);
      if (part) {
        skip_file(*part, number, rows, reader);
      } else {
        part = write_file(number, reader, rows);
      }
      parts_.push_back(std::move(part));
    } while (parts_.back()->shards.front().rows == rows);
  }

  // Reads past the rows of a file that exists. Throws an Error if the file has another number of rows than the reader.
  void skip_file(const SnapshotManifest& part, std::size_t number, std::uint64_t rows, ExampleReader& reader) {
    const SnapshotShard& shard = part.shards.front();
    add_bytes(shard.inflated);
    for (std::uint64_t skipped = 0; skipped < shard.rows; ++skipped)
      if (!reader.next()) throw_other_row_count(number);
    if (shard.rows < rows && reader.next()) throw_other_row_count(number);
    reader.take_lost();
  }

  // Unless the input is a stream, many threads make Examples of its rows. For a stream, this thread makes them, because
  // mapped() would save a state for each chunk, which a snapshot does not need.
  ExampleReader example_reader(Opened input, const OpenContext& context) const {
    if (std::holds_alternative<OpenStream>(input.elements))
      return {stream_of(input, context)(0), to_examples_, context.on_damage};
    const Opened examples = open_map(std::move(input), context, to_examples_);
    return {stream_of(examples, context)(0), {}, context.on_damage};
  }

  // Writes at most `rows` rows of the reader into file `number`. Then stores the file's part of the manifest in the
  // folder, so that no later process writes the file again, and returns the part.
  SnapshotManifest write_file(std::size_t number, ExampleReader& reader, std::uint64_t rows) {
    SnapshotShardWriter writer(folder_.storage(), folder_.shard_url(number), options_.compression);
    for (std::uint64_t written = 0; written < rows; ++written) {
      const std::optional<std::string_view> row = reader.next();
      if (!row) break;
      add_bytes(frame::size_of(row->size()));
      writer.write(std::as_bytes(std::span(*row)));
    }
    SnapshotManifest part = {};
    part.lost = reader.take_lost();
    part.shards.push_back(writer.commit());
    part.shards.front().lost = part.lost.size();
    part.lost.resize(std::min(part.lost.size(), SnapshotManifest::lost_max));
    if (part.shards.front().rows > 0) part.columns = types_->types();
    folder_.put_part(number, part);
    return part;
  }

  SnapshotManifest join_parts() {
    SnapshotManifest all;
    for (std::optional<SnapshotManifest>& part : parts_) {
      if (part->shards.front().rows > 0) types_->add(part->columns);
      all.shards.push_back(part->shards.front());
      for (Corrupt& lost : part->lost)
        if (all.lost.size() < SnapshotManifest::lost_max) all.lost.push_back(std::move(lost));
    }
    all.columns = types_->types();
    return all;
  }

  std::uint64_t shard_rows(const Sequence& sequence) const {
    constexpr std::uint64_t bytes = std::uint64_t{64} << 20, unknown = 1024;
    if (options_.shard_rows > 0) return options_.shard_rows;
    return std::max<std::uint64_t>(bytes / (sequence.element_bytes() > 0 ? sequence.element_bytes() : unknown), 1);
  }

  void add_bytes(std::uint64_t bytes) {
    if ((bytes_ += bytes) > options_.max_bytes)
      throw Error("snapshot: takes more than the " + std::to_string(options_.max_bytes) +
                  " bytes it may have; give it more, or leave it out");
  }

  [[noreturn]] void throw_other_row_count(std::size_t number) const {
    throw Error(folder_.shard_url(number) +
                ": holds another number of rows than come now: what makes them does not give the same each time" +
                remove_hint);
  }

  const SnapshotFolder& folder_;
  const SnapshotOptions& options_;
  const OpenContext& context_;
  const std::shared_ptr<SharedTypes> types_ = std::make_shared<SharedTypes>();
  const RowsFunction to_examples_;
  std::vector<std::optional<SnapshotManifest>> parts_;
  std::atomic<std::uint64_t> bytes_ = 0;  // size of the records in all files so far
};

}  // namespace

SnapshotManifest write_snapshot(Opened input, const SnapshotFolder& folder, const SnapshotOptions& options,
                                const OpenContext& context) {
  if (input.batch > 0) throw Error("snapshot: takes rows, and its input gives batches; snapshot before batch");
  const StreamedSequence* streamed = input.streamed_sequence();
  const bool is_endless = input.is_sequence() ? input.sequence().size() >= endless
                                              : streamed != nullptr && (streamed->sequence.size() >= endless ||
                                                                        streamed->options.epochs >= endless);
  if (is_endless) throw Error("snapshot: its input has no end; snapshot first, then repeat");
  return SnapshotWriter(folder, options, context).run(std::move(input));
}

}  // namespace carrack::data
