#include "dataloader/pipeline/snapshots/snapshot_writing.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/execution/parallel.h"
#include "dataloader/indexes/shares.h"
#include "dataloader/pipeline/snapshots/snapshot_shard.h"
#include "dataloader/pipeline/stages/stages.h"
#include "dataloader/records/frame.h"

namespace carrack::data {
namespace {

// What all rows are; told of by many threads.
class OneType {
 public:
  void add(const std::vector<ColumnType>& types) {
    const std::lock_guard lock(mutex_);
    if (!types_) {
      require_writable(types);
      types_ = types;
    }
    if (types == *types_) return;
    // In one order, whichever came first.
    const std::string one = words(types), other = words(*types_);
    throw Error("snapshot: its rows are not all alike: some have " + std::min(one, other) + ", and others " +
                std::max(one, other));
  }
  std::vector<ColumnType> types() const {
    const std::lock_guard lock(mutex_);
    return types_.value_or(std::vector<ColumnType>());
  }

 private:
  static std::string words(const std::vector<ColumnType>& types) {
    std::string all;
    for (const ColumnType& type : types) all += (all.empty() ? "" : "; ") + in_words(type);
    return "(" + all + ")";
  }

  mutable std::mutex mutex_;  // Guards what follows.
  std::optional<std::vector<ColumnType>> types_;
};

// The rows of a stream in turn, as Examples, however many of them come at once. Throws an Error for one that is lost,
// unless it may be.
class Turn {
 public:
  // What comes is yet to be made Examples by the function, where there is one.
  Turn(StreamPtr stream, RowsFunction function, bool skip_corrupt)
      : stream_(std::move(stream)), function_(std::move(function)), skip_corrupt_(skip_corrupt) {}

  // The next one, or nothing at the end.
  std::optional<std::string_view> next() {
    while (used_ == chunk_.count) {
      std::optional<Rows> next = stream_->next();
      if (!next) return std::nullopt;
      chunk_ = *std::move(next);
      used_ = 0;
      for (Lost& lost : chunk_.lost) {
        // Where the version that was asked for is gone, the row is not bad.
        if (!skip_corrupt_ || lost.why.fault == Fault::changed) throw Error(text(lost.why));
        lost_.push_back(std::move(lost.why));
      }
      if (function_ && chunk_.count > 0) function_(chunk_);
    }
    return std::get<LargeVector<std::string_view>>(chunk_.columns.front().values)[used_++];
  }
  // Since it was last asked.
  std::vector<Corrupt> lost() { return std::exchange(lost_, {}); }

 private:
  StreamPtr stream_;
  RowsFunction function_;
  bool skip_corrupt_;
  Rows chunk_;
  std::size_t used_ = 0;
  std::vector<Corrupt> lost_;
};

class Writing {
 public:
  Writing(const SnapshotFolder& folder, const SnapshotOptions& options, const OpenContext& context)
      : folder_(folder),
        options_(options),
        context_(context),
        to_examples_(context.profile.timed("write snapshot", [types = types_](Rows& rows) {
          types->add(types_of(rows));
          to_examples(rows);
        })) {}

  SnapshotManifest run(Opened from) {
    if (from.is_sequence()) {
      by_place(from.sequence);
    } else {
      in_turn(std::move(from));
    }
    return joined();
  }

 private:
  // Several files at once, as what each is written by packs and sums its bytes alone.
  void by_place(const SequencePtr& sequence) {
    constexpr std::size_t most = 16;  // Each may hold a piece of an upload.
    const std::uint64_t size = sequence->size(), rows = shard_rows(*sequence);
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t begin = 0; begin < size; begin += rows) sizes.push_back(std::min(rows, size - begin));
    parts_.resize(sizes.size());
    const std::size_t threads = std::min<std::size_t>(context_.workers.threads(), most);
    OpenContext each = context_;
    each.ahead.bytes /= threads;
    const auto make = [&](std::size_t number) {
      if (parts_[number]) return true;
      if ((parts_[number] = folder_.part(number))) {
        add_bytes(parts_[number]->shards.front().inflated);
      } else {
        Opened range;
        range.sequence = reordered(sequence, cut(size, number * rows, sizes[number]));
        Turn turn = turn_of(std::move(range), each);
        parts_[number] = write(number, turn, sizes[number]);
      }
      const SnapshotShard& there = parts_[number]->shards.front();
      if (there.rows + there.lost != sizes[number]) throw_other_cut(number);
      return true;
    };
    const Share share{context_.share.index, context_.share.of};
    for_each_parallel(own_share(sizes, share), threads, make);
    for_each_parallel(helping_order(sizes.size(), share), threads, make);
  }

  // The last file is the one with fewer rows. What is there already comes again, and is passed by, unless all is.
  void in_turn(Opened from) {
    constexpr std::uint64_t usual = 65'536;
    const std::uint64_t rows = options_.shard_rows > 0 ? options_.shard_rows : usual;
    while (std::optional<SnapshotManifest> part = folder_.part(parts_.size())) {
      parts_.push_back(std::move(part));
      if (parts_.back()->shards.front().rows < rows) return;
    }
    parts_.clear();
    Turn turn = turn_of(std::move(from), context_);
    do {
      const std::size_t number = parts_.size();
      std::optional<SnapshotManifest> part = folder_.part(number);
      if (part) {
        pass(*part, number, rows, turn);
      } else {
        part = write(number, turn, rows);
      }
      parts_.push_back(std::move(part));
    } while (parts_.back()->shards.front().rows == rows);
  }

  void pass(const SnapshotManifest& part, std::size_t number, std::uint64_t rows, Turn& turn) {
    const SnapshotShard& there = part.shards.front();
    add_bytes(there.inflated);
    for (std::uint64_t passed = 0; passed < there.rows; ++passed)
      if (!turn.next()) throw_other_cut(number);
    if (there.rows < rows && turn.next()) throw_other_cut(number);
    turn.lost();
  }

  // By many threads as long as places are known. A stream's state would be saved for each of its chunks, so there it is
  // done here.
  Turn turn_of(Opened from, const OpenContext& context) const {
    if (!from.sequence) return {stream_of(from, context)(0), to_examples_, context.skip_corrupt};
    const Opened examples = open_map(std::move(from), context, to_examples_);
    return {stream_of(examples, context)(0), {}, context.skip_corrupt};
  }

  // The next rows of it, at most so many.
  SnapshotManifest write(std::size_t number, Turn& turn, std::uint64_t rows) {
    SnapshotShardWriter writer(folder_.storage(), folder_.shard_url(number), options_.compression);
    for (std::uint64_t written = 0; written < rows; ++written) {
      const std::optional<std::string_view> row = turn.next();
      if (!row) break;
      add_bytes(frame::size_of(row->size()));
      writer.write(std::as_bytes(std::span(*row)));
    }
    SnapshotManifest part = {};
    part.lost = turn.lost();
    part.shards.push_back(writer.commit());
    part.shards.front().lost = part.lost.size();
    part.lost.resize(std::min(part.lost.size(), SnapshotManifest::told_of));
    if (part.shards.front().rows > 0) part.columns = types_->types();
    folder_.put_part(number, part);
    return part;
  }

  SnapshotManifest joined() {
    SnapshotManifest all;
    for (std::optional<SnapshotManifest>& part : parts_) {
      if (part->shards.front().rows > 0) types_->add(part->columns);
      all.shards.push_back(part->shards.front());
      for (Corrupt& lost : part->lost)
        if (all.lost.size() < SnapshotManifest::told_of) all.lost.push_back(std::move(lost));
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
    if ((bytes_ += bytes) > options_.most_bytes)
      throw Error("snapshot: takes more than the " + std::to_string(options_.most_bytes) +
                  " bytes it may have; give it more, or leave it out");
  }

  [[noreturn]] void throw_other_cut(std::size_t number) const {
    throw Error(folder_.shard_url(number) +
                ": holds another number of rows than come now: what makes them does not give the same each time" +
                made_anew);
  }

  const SnapshotFolder& folder_;
  const SnapshotOptions& options_;
  const OpenContext& context_;
  const std::shared_ptr<OneType> types_ = std::make_shared<OneType>();
  const RowsFunction to_examples_;
  std::vector<std::optional<SnapshotManifest>> parts_;
  std::atomic<std::uint64_t> bytes_ = 0;  // of all records, as far as they are written
};

}  // namespace

SnapshotManifest write_snapshot(Opened from, const SnapshotFolder& folder, const SnapshotOptions& options,
                                const OpenContext& context) {
  if (from.batch > 0) throw Error("snapshot: takes rows, and its input gives batches; snapshot before batch");
  if (from.sequence && (from.sequence->size() >= endless || from.how.epochs >= endless))
    throw Error("snapshot: its input has no end; snapshot first, then repeat");
  return Writing(folder, options, context).run(std::move(from));
}

}  // namespace carrack::data
