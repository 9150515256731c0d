#include "dataloader/pipeline/stages/record_stages.h"

#include <iterator>
#include <memory>
#include <utility>

#include "dataloader/crc32c.h"
#include "dataloader/error.h"
#include "dataloader/pipeline/rows/row_bytes.h"
#include "dataloader/pipeline/sequences/record_sequence.h"
#include "dataloader/pipeline/sequences/source_files.h"
#include "dataloader/pipeline/sequences/stored_rows.h"
#include "dataloader/pipeline/streams/derived_streams.h"

namespace carrack::data {
namespace {

// The rows that a Generator returns. The state is the number of rows. restore() calls the generator until it has
// returned that number of rows, and throws an Error if its chunks do not add up to exactly that.
class GeneratedStream final : public Stream {
 public:
  GeneratedStream(std::string name, Generator generator) : name_(std::move(name)), generator_(std::move(generator)) {}

  std::optional<Rows> next() override {
    if (!generator_) return std::nullopt;
    std::optional<Rows> rows = generator_();
    if (rows) {
      check_rows(*rows, name_);
      rows_returned_ += rows->count;
    } else {
      generator_ = nullptr;
    }
    return rows;
  }
  void save(StateWriter& state) const override { state.number(rows_returned_); }
  void restore(StateReader& state) override {
    const std::uint64_t saved = state.number();
    while (rows_returned_ < saved && next()) continue;
    if (rows_returned_ != saved) throw Error(name_ + ": gives other rows than when the state was saved");
  }

 private:
  const std::string name_;
  Generator generator_;  // empty once it has returned nullopt
  std::uint64_t rows_returned_ = 0;
};

}  // namespace

Opened open_indexed(std::vector<IndexedFile> files, const RecordFiles& order, const OpenContext& context) {
  Facts facts;
  std::vector<std::uint64_t> sizes;
  for (const IndexedFile& file : files) {
    facts.file_bytes += file.index.file().size;
    facts.file_records += file.index.records();
    facts.is_remote = facts.is_remote || file.source->is_remote();
    facts.is_inflated = facts.is_inflated || file.source->is_inflated();
    if (file.index.records() > 0) sizes.push_back(file.index.records());  // Files without records have no turn.
  }
  facts.files = files.size();
  facts.data_fingerprint = data_fingerprint_of(files);
  Sequence records = record_sequence(std::move(files), {facts.is_remote, context.cache_bytes});
  if (order.cycle > 0) records = reordered(records, interleaved(std::move(sizes), order.cycle, order.block));
  return opened_sequence(context.profile.timed("records", records), std::move(facts));
}

namespace stages {

std::string Records::canonical() const {
  CanonicalStage stage(kind);
  stage.add("file", files.patterns);
  if (files.cycle > 0) stage.add("cycle", files.cycle).add("block", files.block);
  return stage.text();
}

std::string Records::description() const {
  std::string text = join(files.patterns);
  if (files.cycle > 0)
    text += ", " + std::to_string(files.cycle) + " files at once, " + std::to_string(files.block) + " of each";
  return text;
}

Opened Records::open(const OpenContext& context) const {
  const StorageFor storage_for = [&](const std::string& url) -> Storage& { return context.storages.for_url(url); };
  std::vector<DataFile> listed;
  for (const std::string& pattern : files.patterns) {
    std::vector<DataFile> found = data_files(storage_for(pattern), pattern, context.indexing.log);
    if (found.empty()) throw Refused(no_match_text(storage_for(pattern), pattern));
    std::ranges::move(found, std::back_inserter(listed));
  }
  auto indexed = indexed_files(storage_for, listed, context.indexing);
  if (const auto* corrupt = std::get_if<Corrupt>(&indexed)) throw Refused(text(*corrupt));
  return open_indexed(std::get<std::vector<IndexedFile>>(std::move(indexed)), files, context);
}

Opened FileNames::open(const OpenContext& context) const {
  const std::vector<Listed> files = source_files(context.storages, patterns);
  Facts facts;
  LargeVector<std::string_view> names;
  for (const Listed& file : files) {
    facts.data_fingerprint += file.url + "\n";
    names.push_back(file.url);
  }
  Rows rows = with_own_memory({.count = names.size(), .columns = {{"file", std::move(names)}}});
  return opened_sequence(stored(std::move(rows)), std::move(facts));
}

MemoryRows::MemoryRows(Rows all) {
  check_rows(all, "rows");
  checksum = checksum_of(all);
  rows = stored(std::move(all));
}

std::string MemoryRows::canonical() const {
  return CanonicalStage(kind).add("count", rows.size()).add("crc32c", crc32c_hex(checksum)).text();
}

std::string MemoryRows::description() const {
  return std::to_string(rows.size()) + ", crc32c " + crc32c_hex(checksum);
}

Opened MemoryRows::open(const OpenContext&) const {
  return opened_sequence(rows);
}

Opened Generate::open(const OpenContext& context) const {
  const auto open = [name = "generate " + name, generator = generator](std::uint64_t) {
    return std::make_unique<GeneratedStream>(name, generator());
  };
  return opened_stream(cut_at_damage(open, context.on_damage), 0, {.resume = Resume::exact_state});
}

}  // namespace stages
}  // namespace carrack::data
