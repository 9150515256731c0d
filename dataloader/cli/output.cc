#include "dataloader/cli/output.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <deque>
#include <future>
#include <string_view>
#include <utility>
#include <vector>

#include "dataloader/cli/summary/record_json.h"
#include "dataloader/error.h"
#include "dataloader/records/frame.h"
#include "dataloader/records/record_writer.h"
#include "dataloader/records/wire.h"
#include "dataloader/storage/url.h"

namespace carrack::data::cli {
namespace {

// Removes the first of `endings` that the name has, and returns it; empty if it has none.
template <std::size_t size>
std::string remove_ending(std::string& name, const std::array<std::string_view, size>& endings) {
  for (const std::string_view ending : endings) {
    if (!name.ends_with(ending)) continue;
    name.resize(name.size() - ending.size());
    return std::string(ending);
  }
  return "";
}

// Endings of other formats and compressions. They are refused, because such a name would mislead for a TFRecord file.
constexpr std::string_view unsupported_endings[] = {".json", ".csv", ".tsv", ".txt", ".parquet", ".arrow",
                                                    ".avro", ".npy", ".npz", ".zst", ".bz2",     ".xz",
                                                    ".lz4",  ".7z",  ".zip", ".tar"};

class TfrecordSink final : public RecordSink {
 public:
  TfrecordSink(std::unique_ptr<ObjectWriter> object, Compression compression)
      : writer_(std::move(object), compression) {}

  void write(std::span<const std::byte> record) override { writer_.write(record); }
  std::optional<ObjectStat> commit() override { return writer_.commit(); }

 private:
  RecordWriter writer_;
};

// Consecutive records, which one thread encodes.
struct Piece {
  Bytes records;                   // one record after the other
  std::vector<std::size_t> sizes;  // the size of each record
};

template <typename See>
void for_each_record(const Piece& piece, const See& see) {
  std::span<const std::byte> left(piece.records);
  for (const std::size_t size : piece.sizes) {
    see(left.first(size));
    left = left.subspan(size);
  }
}

// Compresses the piece to a complete GZIP member. A GZIP file may consist of several members, one after the other.
Bytes gzip_piece(const Piece& piece) {
  Bytes frames;
  for_each_record(piece, [&](std::span<const std::byte> record) { frame::append(frames, record); });
  return gzip_member(frames);
}

Bytes json_piece(const Piece& piece) {
  ExampleWalker walker;
  std::string lines;
  for_each_record(piece, [&](std::span<const std::byte> record) { lines += record_json(record, walker) + "\n"; });
  const auto bytes = wire::bytes_of(lines);
  return {bytes.begin(), bytes.end()};
}

// Encodes pieces of the file in several threads. The thread that calls write() writes them in their order, so the file
// does not depend on the number of threads.
class PiecesSink final : public RecordSink {
 public:
  using Encode = Bytes (*)(const Piece&);

  PiecesSink(std::unique_ptr<ObjectWriter> object, Encode encode, unsigned threads)
      : object_(std::move(object)), encode_(encode), threads_(threads) {}

  void write(std::span<const std::byte> record) override {
    constexpr std::size_t piece_bytes = std::size_t{1} << 20;  // enough work to start a thread for
    piece_.records.insert(piece_.records.end(), record.begin(), record.end());
    piece_.sizes.push_back(record.size());
    if (piece_.records.size() + piece_.sizes.size() * frame::overhead >= piece_bytes) end_piece();
  }
  std::optional<ObjectStat> commit() override {
    if (!piece_.sizes.empty() || !has_piece_) end_piece();
    while (!encoded_.empty()) write_first();
    return object_->commit();
  }

 private:
  void end_piece() {
    while (encoded_.size() >= threads_) write_first();
    has_piece_ = true;
    encoded_.push_back(std::async(std::launch::async, encode_, std::exchange(piece_, {})));
  }
  void write_first() {
    std::future<Bytes> first = std::move(encoded_.front());
    encoded_.pop_front();
    object_->write(first.get());
  }

  std::unique_ptr<ObjectWriter> object_;
  const Encode encode_;
  const unsigned threads_;
  Piece piece_;
  // If false, commit() adds an empty piece, because even a GZIP file without records needs a member.
  bool has_piece_ = false;
  std::deque<std::future<Bytes>> encoded_;
};

}  // namespace

std::string Output::name(std::uint64_t shard, std::uint64_t shards) const {
  char number[32];
  std::snprintf(number, sizeof number, "-%05u-of-%05u", static_cast<unsigned>(shard), static_cast<unsigned>(shards));
  return shards == 1 ? stem + ending : stem + number + ending;
}

std::string Output::pattern() const {
  const std::string number(5, '?');
  return stem + "-" + number + "-of-" + number + ending;
}

Output parse_output(const std::string& to, const std::optional<Compression>& compression) {
  if (has_wildcard(to)) throw Refused("--to: " + to + ": names no single file");
  if (to.ends_with('/')) throw Refused("--to: " + to + ": is the name of a folder; write the name of a file");
  Output output{.stem = to, .ending = {}};
  const std::string compressed = remove_ending(output.stem, std::array<std::string_view, 2>{".gz", ".zlib"});
  output.ending =
      remove_ending(output.stem, std::array<std::string_view, 4>{".tfrecords", ".tfrecord", ".jsonl", ".ndjson"});
  const auto other =
      std::ranges::find_if(unsupported_endings, [&](std::string_view ending) { return output.stem.ends_with(ending); });
  if (output.ending.empty() && other != std::end(unsupported_endings))
    throw Refused("--to: " + to + ": " + std::string(*other) +
                  " is not written; TFRecords are, which end in .tfrecord or .tfrecords, "
                  "and with .gz or .zlib if compressed, and JSON lines, which end in .jsonl or .ndjson");
  output.json_lines = output.ending == ".jsonl" || output.ending == ".ndjson";
  output.ending += compressed;
  const Compression by_ending = compressed == ".gz"  ? Compression::gzip
                                : compressed.empty() ? Compression::none
                                                     : Compression::zlib;
  output.compression = compression.value_or(by_ending);
  if (output.json_lines && output.compression != Compression::none)
    throw Refused("--to: " + to + ": JSON lines are written without compression");
  return output;
}

std::unique_ptr<RecordSink> make_sink(const Output& output, std::unique_ptr<ObjectWriter> object, unsigned threads) {
  if (output.json_lines) return std::make_unique<PiecesSink>(std::move(object), json_piece, threads);
  if (output.compression == Compression::gzip)
    return std::make_unique<PiecesSink>(std::move(object), gzip_piece, threads);
  return std::make_unique<TfrecordSink>(std::move(object), output.compression);
}

}  // namespace carrack::data::cli
