#include "dataloader/cli/output.h"

#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

#include "dataloader/cli/record_json.h"
#include "dataloader/error.h"
#include "dataloader/records/record_writer.h"
#include "dataloader/records/wire.h"
#include "dataloader/storage/url.h"

namespace carrack::data::cli {
namespace {

// Takes the first of these that the name ends in off it.
template <std::size_t size>
std::string take_ending(std::string& name, const std::array<std::string_view, size>& endings) {
  for (const std::string_view ending : endings) {
    if (!name.ends_with(ending)) continue;
    name.resize(name.size() - ending.size());
    return std::string(ending);
  }
  return "";
}

class Tfrecords final : public Sink {
 public:
  Tfrecords(std::unique_ptr<ObjectWriter> object, Compression compression) : writer_(std::move(object), compression) {}

  void write(std::span<const std::byte> record) override { writer_.write(record); }
  std::optional<ObjectStat> commit() override { return writer_.commit(); }

 private:
  RecordWriter writer_;
};

class JsonLines final : public Sink {
 public:
  explicit JsonLines(std::unique_ptr<ObjectWriter> object) : object_(std::move(object)) {}

  void write(std::span<const std::byte> record) override {
    constexpr std::size_t piece = std::size_t{256} << 10;
    lines_ += record_json(record, walker_) + "\n";
    if (lines_.size() >= piece) flush();
  }
  std::optional<ObjectStat> commit() override {
    flush();
    return object_->commit();
  }

 private:
  void flush() {
    object_->write(wire::bytes_of(lines_));
    lines_.clear();
  }

  std::unique_ptr<ObjectWriter> object_;
  ExampleWalker walker_;
  std::string lines_;
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

Output output_from(const std::string& to, const std::optional<Compression>& compression) {
  if (has_wildcard(to)) throw Refused("--to: " + to + ": names no single file");
  if (to.ends_with('/')) throw Refused("--to: " + to + ": is the name of a folder; write the name of a file");
  Output output{.stem = to, .ending = {}};
  const std::string packed = take_ending(output.stem, std::array<std::string_view, 2>{".gz", ".zlib"});
  output.ending =
      take_ending(output.stem, std::array<std::string_view, 4>{".tfrecords", ".tfrecord", ".jsonl", ".ndjson"});
  output.json_lines = output.ending == ".jsonl" || output.ending == ".ndjson";
  output.ending += packed;
  const Compression told = packed == ".gz" ? Compression::gzip : packed.empty() ? Compression::none : Compression::zlib;
  output.compression = compression.value_or(told);
  if (output.json_lines && output.compression != Compression::none)
    throw Refused("--to: " + to + ": JSON lines are written without compression");
  return output;
}

std::unique_ptr<Sink> sink_for(const Output& output, std::unique_ptr<ObjectWriter> object) {
  if (output.json_lines) return std::make_unique<JsonLines>(std::move(object));
  return std::make_unique<Tfrecords>(std::move(object), output.compression);
}

}  // namespace carrack::data::cli
