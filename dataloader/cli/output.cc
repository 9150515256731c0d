#include "dataloader/cli/output.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

#include "dataloader/cli/parallel_writer.h"
#include "dataloader/cli/summary/record_json.h"
#include "dataloader/error.h"
#include "dataloader/records/frame.h"
#include "dataloader/records/gzip_blocks.h"
#include "dataloader/records/record_writer.h"
#include "dataloader/records/wire.h"
#include "dataloader/storage/url.h"

namespace carrack::data::cli {
namespace {

// Removes the first of these endings that the name has, and returns it; empty if there is none.
template <std::size_t size>
std::string remove_ending(std::string& name, const std::array<std::string_view, size>& endings) {
  for (const std::string_view ending : endings) {
    if (!name.ends_with(ending)) continue;
    name.resize(name.size() - ending.size());
    return std::string(ending);
  }
  return "";
}

// The endings of formats and compressions that are not written: a file with such a name would mislead.
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

// Compresses each piece on its own, as a GZIP member. A GZIP file may consist of several members.
class GzipTfrecordSink final : public RecordSink {
 public:
  GzipTfrecordSink(std::unique_ptr<ObjectWriter> object, unsigned threads) : file_(std::move(object), threads) {}

  void write(std::span<const std::byte> record) override {
    frame::append(frames_, record);
    if (frames_.size() >= ParallelFileWriter::piece_bytes) deflate();
  }
  std::optional<ObjectStat> commit() override {
    if (!frames_.empty() || !has_member_) deflate();
    return file_.commit();
  }

 private:
  void deflate() {
    has_member_ = true;
    file_.add([frames = std::exchange(frames_, {})] { return gzip_member(frames); });
  }

  ParallelFileWriter file_;
  Bytes frames_;
  bool has_member_ = false;
};

class JsonLinesSink final : public RecordSink {
 public:
  JsonLinesSink(std::unique_ptr<ObjectWriter> object, unsigned threads) : file_(std::move(object), threads) {}

  void write(std::span<const std::byte> record) override {
    records_.insert(records_.end(), record.begin(), record.end());
    sizes_.push_back(record.size());
    if (records_.size() >= ParallelFileWriter::piece_bytes) flush();
  }
  std::optional<ObjectStat> commit() override {
    flush();
    return file_.commit();
  }

 private:
  void flush() {
    file_.add([records = std::exchange(records_, {}), sizes = std::exchange(sizes_, {})] {
      ExampleWalker walker;
      std::string lines;
      std::span<const std::byte> left(records);
      for (const std::size_t size : sizes) {
        lines += record_json(left.first(size), walker) + "\n";
        left = left.subspan(size);
      }
      const auto bytes = wire::bytes_of(lines);
      return Bytes(bytes.begin(), bytes.end());
    });
  }

  ParallelFileWriter file_;
  Bytes records_;  // one after the other
  std::vector<std::size_t> sizes_;
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
  if (output.json_lines) return std::make_unique<JsonLinesSink>(std::move(object), threads);
  if (output.compression == Compression::gzip) return std::make_unique<GzipTfrecordSink>(std::move(object), threads);
  return std::make_unique<TfrecordSink>(std::move(object), output.compression);
}

}  // namespace carrack::data::cli
