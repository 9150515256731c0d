#include "trainer/loop/input.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "dataloader/indexes/index_name.h"
#include "dataloader/pipeline/plan.h"
#include "dataloader/storage/url.h"
#include "trainer/checkpoint/folder.h"
#include "trainer/error.h"

namespace carrack::train {
namespace {

constexpr std::string_view index_folder = "indexes";

std::string inside(const std::string& folder, const std::string& name) {
  return folder + (folder.ends_with('/') ? "" : "/") + name;
}

// What a job writes must not be among what it reads, or each start would find other data.
void require_apart(const std::string& pattern, const std::string& folder) {
  const data::Url read = data::url_from(data::one_spelling(pattern));
  const std::string prefix = checkpoint::prefix_of({.step = 1, .attempt = 0, .incarnation = 1, .number = 1});
  for (const std::string& name :
       {std::string("HEAD"), std::string("HEAD.1"), checkpoint::index_name(prefix), prefix + ".manifest",
        checkpoint::shard_name(prefix, 0, 1), std::string(index_folder) + "/" + data::index_name(folder)}) {
    const data::Url written = data::url_from(data::one_spelling(inside(folder, name)));
    if (read.scheme != written.scheme || read.bucket != written.bucket) continue;
    if (!data::matches(read.name, written.name)) continue;
    throw Error(Blame::user, "spec.data.train.files: " + pattern + " matches " + name +
                                 ", which the job itself writes to spec.checkpoint.folder; give it a folder apart, or "
                                 "say more of the files' names");
  }
}

// The coordinator and the workers without whom there is no job need all indexes. More workers come and go, and count on
// nobody's waiting for them.
data::Share share_of(const Launch& launch) {
  const bool is_worker = launch.member.role == Role::worker;
  return {.member = is_worker ? static_cast<std::size_t>(launch.member.index) + 1 : 0,
          .members = static_cast<std::size_t>(launch.config.workers.min) + 1};
}

data::Shuffle::Kind kind_of(ShuffleKind kind) {
  using Kind = data::Shuffle::Kind;
  return kind == ShuffleKind::full ? Kind::full : kind == ShuffleKind::block ? Kind::block : Kind::by_place;
}

data::Dataset then(const data::Dataset& before, const Stage& stage, std::uint64_t seed) {
  const auto number = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  if (const auto* shard = std::get_if<Shard>(&stage)) return before.shard(number(shard->count), number(shard->index));
  if (const auto* skip = std::get_if<Skip>(&stage)) return before.skip(number(skip->records));
  if (const auto* take = std::get_if<Take>(&stage)) return before.take(number(take->records));
  if (const auto* repeat = std::get_if<Repeat>(&stage)) return before.repeat(number(repeat->times));
  if (const auto* cache = std::get_if<Cache>(&stage)) return before.cache(bytes_in(cache->memory).value());
  if (const auto* shuffle = std::get_if<Shuffle>(&stage)) {
    return before.shuffle({.kind = kind_of(shuffle->kind),
                           .seed = seed,
                           .block = number(shuffle->block),
                           .window = number(shuffle->window)});
  }
  return before;  // Interleave is the source's.
}

// What tells data from other data: the records, and what is done with them where that is not what is done anyway.
std::string contents_of(const data::Opened& opened, const Data& data) {
  std::string stages;
  for (Stage stage : data.stages) {
    auto* shuffle = std::get_if<Shuffle>(&stage);
    if (shuffle != nullptr && shuffle->kind == ShuffleKind::by_place)
      shuffle->kind = opened.is_far ? ShuffleKind::block : ShuffleKind::full;
    if (shuffle != nullptr && shuffle->kind == ShuffleKind::full) *shuffle = {.kind = ShuffleKind::full};
    stages += "; " + text_of(stage);
  }
  const bool is_usual = stages == "; " + text_of(Stage(Shuffle{.kind = ShuffleKind::full}));
  return opened.contents + (is_usual ? "" : stages.empty() ? "; no stages" : stages);
}

data::Batches opened(const Launch& launch, const Setup& setup, const data::Surroundings& surroundings) {
  const Config& config = launch.config;
  for (const std::string& pattern : config.data.files) require_apart(pattern, config.checkpoint.folder);
  const auto seed = static_cast<std::uint64_t>(config.training.seed);
  const data::Opened opened = data::open(dataset_of(config.data, seed, setup.features).plan(), surroundings);
  if (opened.sequence->size() == 0) {
    throw Error(Blame::user, opened.file_records == 0 ? "spec.data.train.files: the files hold no record"
                                                      : "spec.data.train.stages: leave no record of the files'");
  }
  return data::Batches(opened.sequence, contents_of(opened, config.data),
                       {.batch = static_cast<std::uint64_t>(config.training.batch),
                        .lanes = static_cast<std::uint64_t>(config.training.lanes),
                        .own_runs = opened.spread == data::Spread::runs});
}

// How many batches may lie ready: so many that all CPUs can read, if they fit.
std::size_t most_ahead(const Launch& launch, const Setup& setup, const Surroundings& surroundings) {
  // Which batch comes next is not known.
  if (launch.config.training.consistency == Consistency::async) return 0;
  std::uint64_t row = 1;
  for (const data::Feature& feature : setup.features) row += feature.count * sizeof(std::int64_t);
  const std::uint64_t batch = row * static_cast<std::uint64_t>(launch.config.training.batch);
  return std::min<std::size_t>(surroundings.cpus + 1, surroundings.memory / 8 / batch);
}

}  // namespace

data::Dataset dataset_of(const Data& data, std::uint64_t seed, const std::vector<data::Feature>& features) {
  data::RecordFiles files{.patterns = data.files, .called = "spec.data.train.files"};
  for (const Stage& stage : data.stages) {
    if (const auto* interleave = std::get_if<Interleave>(&stage)) {
      files.cycle = static_cast<std::uint64_t>(interleave->cycle);
      files.block = static_cast<std::uint64_t>(interleave->block);
    }
  }
  data::Dataset dataset = data::Dataset::records(files);
  for (const Stage& stage : data.stages) dataset = then(dataset, stage, seed);
  return dataset.parse(features);
}

Input::Input(const Launch& launch, const Setup& setup, const Surroundings& surroundings,
             const std::function<void(const data::Built&)>& built)
    : workers_(surroundings.cpus, surroundings.cpus * 8), most_ahead_(most_ahead(launch, setup, surroundings)) {
  const data::Indexing indexing{.shared = inside(launch.config.checkpoint.folder, std::string(index_folder)),
                                .cache = surroundings.index_cache,
                                .share = share_of(launch),
                                .log = surroundings.log,
                                .built = [&](const data::Built& now) {
                                  surroundings.log("indexing " + data::text_of(now));
                                  built(now);
                                }};
  batches_ = std::make_shared<const data::Batches>(
      opened(launch, setup,
             {.storages = surroundings.storages,
              .workers = workers_,
              .profile = profile_,
              .cache_bytes = std::min(std::uint64_t{128} << 20, surroundings.memory / 8),
              .indexing = indexing}));
  batches_in_all_ = total_batches(order().steps_in_epoch(), launch.config.training);
}

data::Batch Input::read(std::uint64_t batch, data::Range lanes) {
  Result result = taken(batch, lanes);
  if (const auto* corrupt = std::get_if<data::Corrupt>(&result)) throw Error(Blame::user, data::text(*corrupt));
  read_on(batch + 1, lanes);
  return std::get<data::Batch>(std::move(result));
}

Input::Result Input::taken(std::uint64_t batch, data::Range lanes) {
  while (!ahead_.empty()) {
    Ahead next = std::move(ahead_.front());
    ahead_.pop_front();
    if (next.batch == batch && next.lanes == lanes) return next.result.get();
  }
  return batches_->read(at(batch), lanes);
}

data::Position Input::at(std::uint64_t batch) const {
  return {batch / order().steps_in_epoch(), batch % order().steps_in_epoch()};
}

void Input::read_on(std::uint64_t batch, data::Range lanes) {
  while (ahead_.size() < most_ahead_ && batch + ahead_.size() < batches_in_all_) {
    const std::uint64_t next = batch + ahead_.size();
    const auto read = std::make_shared<std::packaged_task<Result()>>(
        [batches = batches_, position = at(next), lanes] { return batches->read(position, lanes); });
    ahead_.push_back({next, lanes, read->get_future()});
    workers_.run([read] { (*read)(); });
  }
}

}  // namespace carrack::train
