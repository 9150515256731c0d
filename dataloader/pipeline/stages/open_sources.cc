// How sources are opened, and several inputs as one: the rest of stages.h.
#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/indexes/indexed_files.h"
#include "dataloader/pipeline/sequences/record_sequence.h"
#include "dataloader/pipeline/sequences/source_files.h"
#include "dataloader/pipeline/sequences/stored_rows.h"
#include "dataloader/pipeline/stages/stages.h"

namespace carrack::data {
namespace {

class Generated final : public Stream {
 public:
  Generated(std::string name, Generator generator) : name_(std::move(name)), generator_(std::move(generator)) {}

  std::optional<Rows> next() override {
    if (!generator_) return std::nullopt;
    std::optional<Rows> rows = generator_();
    if (rows) {
      require_whole(*rows, name_);
      given_ += rows->count;
    } else {
      generator_ = nullptr;
    }
    return rows;
  }
  void save(StateWriter& state) const override { state.number(given_); }
  void restore(StateReader& state) override {
    const std::uint64_t given = state.number();
    while (given_ < given && next()) continue;
    if (given_ != given) throw Error(name_ + ": gives other rows than when the state was saved");
  }

 private:
  const std::string name_;
  Generator generator_;  // none behind its end
  std::uint64_t given_ = 0;
};

void require_rows(const std::vector<Opened>& inputs, const std::string& what) {
  for (const Opened& input : inputs)
    if (input.batch > 0) throw Error(what + ": takes rows, and an input gives batches; batch behind it");
}

bool all_are_sequences(const std::vector<Opened>& inputs) {
  return std::ranges::all_of(inputs, &Opened::is_sequence);
}

std::vector<SequencePtr> sequences_of(const std::vector<Opened>& inputs) {
  std::vector<SequencePtr> sequences;
  for (const Opened& input : inputs) sequences.push_back(input.sequence);
  return sequences;
}

std::vector<OpenStream> streams_of(const std::vector<Opened>& inputs, const OpenContext& context) {
  std::vector<OpenStream> streams;
  for (const Opened& input : inputs) streams.push_back(stream_of(input, context));
  return streams;
}

// The streams of an epoch, joined.
template <typename Join>
Opened joined(const std::vector<Opened>& inputs, const OpenContext& context, Join join) {
  Opened opened;
  opened.stream = [streams = streams_of(inputs, context), join](std::uint64_t epoch) {
    std::vector<StreamPtr> at_epoch;
    for (const OpenStream& open : streams) at_epoch.push_back(open(epoch));
    return join(std::move(at_epoch));
  };
  return opened;
}

}  // namespace

Opened open_records(const RecordFiles& from, const OpenContext& context) {
  const StorageFor storage_for = [&](const std::string& url) -> Storage& { return context.storages.for_url(url); };
  std::vector<DataFile> listed;
  for (const std::string& pattern : from.patterns) {
    std::vector<DataFile> found = data_files(storage_for(pattern), pattern, context.indexing.log);
    if (found.empty()) throw Refused("no object matches " + pattern);
    std::ranges::move(found, std::back_inserter(listed));
  }
  auto indexed = indexed_files(storage_for, listed, context.indexing);
  if (const auto* corrupt = std::get_if<Corrupt>(&indexed)) throw Refused(text(*corrupt));
  return open_indexed(std::get<std::vector<IndexedFile>>(std::move(indexed)), from, context);
}

Opened open_indexed(std::vector<IndexedFile> files, const RecordFiles& from, const OpenContext& context) {
  Opened told;
  std::vector<std::uint64_t> sizes;
  for (const IndexedFile& file : files) {
    told.file_bytes += file.index.file().size;
    told.file_records += file.index.records();
    told.is_far = told.is_far || file.source->is_remote();
    if (file.index.records() > 0) sizes.push_back(file.index.records());  // Those without take no turn.
  }
  told.files = files.size();
  told.contents = contents_of(files);
  SequencePtr records = records_of(std::move(files), {told.is_far, context.cache_bytes});
  if (from.cycle > 0) records = reordered(records, interleaved(std::move(sizes), from.cycle, from.block));
  told.sequence = context.profile.timed("records", records);
  return told;
}

Opened open_files(const std::vector<std::string>& patterns, const OpenContext& context) {
  const auto names = std::make_shared<std::vector<std::string>>();
  std::string contents;
  for (Listed& listed : source_files(context.storages, patterns)) names->push_back(std::move(listed.url));
  for (const std::string& name : *names) contents += name + "\n";
  Rows rows;
  rows.count = names->size();
  rows.columns.push_back({"file", LargeVector<std::string_view>(names->begin(), names->end())});
  rows.memory.push_back(names);
  Opened opened = open_sequence(stored(std::move(rows)));
  opened.contents = std::move(contents);
  return opened;
}

Opened open_generator(const std::string& name, const std::function<Generator()>& open) {
  Opened opened;
  opened.stream = [name, open](std::uint64_t) { return std::make_unique<Generated>(name, open()); };
  opened.resume = Resume::exact_state;
  return opened;
}

Opened open_concatenated(std::vector<Opened> inputs, const OpenContext& context) {
  require_rows(inputs, "concatenate");
  if (all_are_sequences(inputs)) return open_sequence(concatenated(sequences_of(inputs)));
  return joined(inputs, context, [](std::vector<StreamPtr> streams) { return concatenated(std::move(streams)); });
}

Opened open_zipped(std::vector<Opened> inputs, const OpenContext& context) {
  require_rows(inputs, "zip");
  if (all_are_sequences(inputs)) return open_sequence(zipped(sequences_of(inputs)));
  return joined(inputs, context, [](std::vector<StreamPtr> streams) { return zipped(std::move(streams)); });
}

Opened open_mixed(std::vector<Opened> inputs, const OpenContext& context, const std::vector<double>& weights,
                  const Random& random) {
  require_rows(inputs, "mix");
  if (all_are_sequences(inputs)) return open_sequence(mixed(sequences_of(inputs), weights, random));
  return joined(inputs, context,
                [=](std::vector<StreamPtr> streams) { return mixed(std::move(streams), weights, random); });
}

Opened open_interleaved(std::vector<Opened> inputs, const OpenContext& context, std::uint64_t cycle,
                        std::uint64_t block) {
  require_rows(inputs, "interleave");
  if (all_are_sequences(inputs)) return open_sequence(interleaved(sequences_of(inputs), cycle, block));
  Opened opened;
  opened.stream = [streams = streams_of(inputs, context), cycle, block](std::uint64_t epoch) {
    std::vector<OpenStream> at_epoch;
    for (const OpenStream& open : streams) at_epoch.push_back([open, epoch](std::uint64_t) { return open(epoch); });
    return interleaved(std::move(at_epoch), cycle, block);
  };
  return opened;
}

}  // namespace carrack::data
