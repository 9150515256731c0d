#include "dataloader/pipeline/batches.h"

#include <algorithm>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/records/frame.h"

namespace carrack::data {
namespace {

// A few batches' worth: the one in use, and those read ahead.
constexpr std::uint64_t longest_gap = std::uint64_t{16} << 10;
constexpr std::uint64_t most_idle_bytes = std::uint64_t{64} << 20;

std::vector<std::uint64_t> records_in(const std::vector<IndexedFile>& files) {
  std::vector<std::uint64_t> records;
  for (const IndexedFile& file : files) {
    if (file.index.file() != file.source->stat())
      throw Error(file.source->name() + ": its index is that of another version; make it anew");
    records.push_back(file.index.records());
  }
  return records;
}

bool any_strings(const std::vector<Feature>& features) {
  return std::any_of(features.begin(), features.end(), [](const Feature& f) { return f.dtype == Dtype::bytes; });
}

// As they are to be parsed; fetching leaves them in the order of their files.
std::vector<const Wanted*> by_row(const std::vector<Wanted>& records) {
  std::vector<const Wanted*> rows(records.size());
  for (const Wanted& record : records) rows[record.row] = &record;
  return rows;
}

}  // namespace

Batches::Batches(std::vector<IndexedFile> files, std::vector<Feature> features, std::uint64_t seed, Batching batching)
    : files_(std::move(files)),
      contents_(contents_of(files_)),
      has_strings_(any_strings(features)),
      parser_(std::move(features)),
      order_(seed, records_in(files_), batching),
      pool_(most_idle_bytes) {}

std::variant<Batch, Corrupt> Batches::read(Position position, Range lanes) const {
  Batch batch;
  const Permutation epoch = order_.epoch(position.epoch);
  for (std::uint64_t lane = lanes.begin; lane < lanes.end; ++lane) {
    const Range places = order_.lane(position.step, lane);
    const std::uint64_t first = batch.records.size();
    for (std::uint64_t place = places.begin; place < places.end; ++place) batch.records.push_back(epoch.at(place));
    batch.lanes.push_back({first, batch.records.size()});
  }
  std::vector<Wanted> records = wanted(batch.records);
  sort(records);
  Fetched fetched = fetch(files_, records, pool_, longest_gap);
  if (fetched.changed != nullptr) return corrupt(*fetched.changed, Fault::changed);
  ExampleParser parser = parser_;
  batch.columns = parser.columns(records.size());
  for (const Wanted* row : by_row(records)) {
    if (!parse(*row, parser, batch.columns)) continue;
    // Where the wrong thing was asked for, all are wrong alike: the first one in its file is told of.
    for (const Wanted& record : records) {
      if (std::optional<Corrupt> corrupt = parse(record, parser, batch.columns)) return *std::move(corrupt);
    }
  }
  parser.pad(batch.columns);
  if (has_strings_) batch.memory = std::move(fetched.memory);
  return batch;
}

std::vector<Wanted> Batches::wanted(const std::vector<std::uint64_t>& records) const {
  std::vector<Wanted> wanted;
  wanted.reserve(records.size());
  for (const std::uint64_t record : records) {
    const RecordId id = order_.record(record);
    wanted.push_back({id, wanted.size(), files_[id.file].index.at(id.record)});
  }
  return wanted;
}

std::optional<Corrupt> Batches::parse(const Wanted& record, ExampleParser& parser, std::span<Column> columns) const {
  const std::span<const std::byte> bytes = record.frame;
  const std::optional<std::uint64_t> length = frame::length_in(bytes.first<frame::header_size>());
  if (!length) return corrupt(record, Fault::bad_length);
  if (*length != bytes.size() - frame::overhead) return corrupt(record, Fault::changed);
  if (!frame::holds(bytes.subspan(frame::header_size))) return corrupt(record, Fault::bad_data);
  const std::optional<Mismatch> mismatch =
      parser.parse(bytes.subspan(frame::header_size, *length), record.row, columns);
  if (!mismatch) return std::nullopt;
  Corrupt found = corrupt(record, Fault::bad_example);
  found.offset += frame::header_size + mismatch->offset;
  found.what = mismatch->what;
  return found;
}

Corrupt Batches::corrupt(const Wanted& record, Fault fault) const {
  const std::string& name = files_[record.id.file].source->name();
  return {fault, name, record.id.record, record.extent.offset, record.extent.size, what(fault)};
}

}  // namespace carrack::data
