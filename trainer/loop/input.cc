#include "trainer/loop/input.h"

#include <algorithm>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/order/random.h"
#include "dataloader/pipeline/row_functions.h"
#include "dataloader/pipeline/stages.h"
#include "trainer/error.h"

namespace carrack::train {
namespace {

std::uint64_t number(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

data::Shuffle::Kind kind_of(ShuffleKind kind) {
  using Kind = data::Shuffle::Kind;
  return kind == ShuffleKind::full ? Kind::full : kind == ShuffleKind::block ? Kind::block : Kind::by_place;
}

// The stages of a job in their turn.
class Stages {
 public:
  // Lanes that go through runs of their own share a window: as many runs are open as without.
  Stages(const data::Surroundings& surroundings, std::uint64_t seed, std::uint64_t lanes_apart)
      : surroundings_(surroundings), seed_(seed), lanes_apart_(lanes_apart) {}

  data::Opened after(data::Opened from, const Stage& stage) {
    if (const auto* shard = std::get_if<Shard>(&stage))
      return data::open_shard(std::move(from), surroundings_, number(shard->count), number(shard->index));
    if (const auto* skip = std::get_if<Skip>(&stage))
      return data::open_cut(std::move(from), surroundings_, number(skip->records), data::endless);
    if (const auto* take = std::get_if<Take>(&stage))
      return data::open_cut(std::move(from), surroundings_, 0, number(take->records));
    if (const auto* repeat = std::get_if<Repeat>(&stage))
      return data::open_repeat(std::move(from), surroundings_, number(repeat->times));
    if (const auto* cache = std::get_if<Cache>(&stage))
      return data::open_cache(std::move(from), surroundings_, bytes_in(cache->memory).value());
    if (const auto* shuffle = std::get_if<Shuffle>(&stage)) {
      const data::Shuffle how{.kind = kind_of(shuffle->kind),
                              .block = number(shuffle->block),
                              .window = std::max<std::uint64_t>(number(shuffle->window) / lanes_apart_, 1)};
      return data::open_shuffle(std::move(from), surroundings_, how, data::shuffle_random(seed_, shuffles_++));
    }
    return from;  // Interleave is of the files, and what stands before a snapshot, of what is in it.
  }

 private:
  const data::Surroundings& surroundings_;
  std::uint64_t seed_;
  std::uint64_t lanes_apart_;
  std::uint64_t shuffles_ = 0;
};

// What tells data from other data: the records, and what is done with them where that is not what is done anyway.
std::string contents_of(const data::Opened& opened, const Data& data, const data::Batching& batching) {
  std::string stages;
  for (Stage stage : data.stages) {
    auto* shuffle = std::get_if<Shuffle>(&stage);
    if (shuffle != nullptr && shuffle->kind == ShuffleKind::by_place)
      shuffle->kind = opened.is_far ? ShuffleKind::block : ShuffleKind::full;
    if (shuffle != nullptr && shuffle->kind == ShuffleKind::full) *shuffle = {.kind = ShuffleKind::full};
    // Where records lie changes nothing, nor does how much a cache may take.
    if (std::holds_alternative<Snapshot>(stage)) continue;
    stages += "; " + (std::holds_alternative<Cache>(stage) ? std::string("cache") : text_of(stage));
  }
  if (batching.own_runs) stages += "; in " + std::to_string(batching.lanes) + " lanes";
  const bool is_usual = stages == "; " + text_of(Stage(Shuffle{.kind = ShuffleKind::full}));
  return opened.contents + (is_usual ? "" : stages.empty() ? "; no stages" : stages);
}

bool has_filters(const Data& data) {
  return std::ranges::any_of(data.stages, [](const Stage& stage) { return kind_of(stage) == StageKind::filter; });
}

data::Batches opened(std::vector<data::IndexedFile> files, const Config& config,
                     const std::vector<data::Feature>& features, const data::Surroundings& surroundings) {
  data::RecordFiles turns;
  for (const Stage& stage : config.data.stages) {
    const auto* interleave = std::get_if<Interleave>(&stage);
    if (interleave != nullptr) turns = {.cycle = number(interleave->cycle), .block = number(interleave->block)};
  }
  data::Opened opened = data::open_indexed(std::move(files), turns, surroundings);
  if (opened.sequence->size() == 0) {
    throw Error(Blame::user, has_filters(config.data)
                                 ? "spec.data.train.stages: no record of the files' is within the bounds of each filter"
                                 : "spec.data.train.files: the files hold no record");
  }
  const bool is_sync = config.training.consistency == Consistency::sync;  // Else a batch is anybody's as a whole.
  data::Batching batching = batching_of(config.training);
  Stages stages(surroundings, number(config.training.seed), is_sync ? batching.lanes : 1);
  for (std::size_t i = 0; i < config.data.stages.size(); ++i) {
    try {
      opened = stages.after(std::move(opened), config.data.stages[i]);
    } catch (const data::Error& error) {
      throw Error(Blame::user, "spec.data.train.stages[" + std::to_string(i) + "]: " + error.what());
    }
  }
  if (opened.sequence->size() == 0) throw Error(Blame::user, "spec.data.train.stages: leave no record of the files'");
  const data::SequencePtr rows = data::mapped(opened.sequence, data::parse_examples(features));
  batching.own_runs = is_sync && opened.spread == data::Spread::runs;
  return data::Batches(rows, contents_of(opened, config.data, batching), batching);
}

// How many batches may lie ready: so many that all CPUs can read, if they fit.
std::size_t most_ahead(const Config& config, const Setup& setup, const Surroundings& surroundings) {
  // Which batch comes next is not known.
  if (config.training.consistency == Consistency::async) return 0;
  std::uint64_t row = 1;
  for (const data::Feature& feature : setup.features) row += feature.count * sizeof(std::int64_t);
  const std::uint64_t batch = row * static_cast<std::uint64_t>(config.training.batch);
  return std::min<std::size_t>(surroundings.cpus + 1, surroundings.memory / 8 / batch);
}

}  // namespace

Input::Input(std::vector<data::IndexedFile> files, const Launch& launch, const Setup& setup,
             const Surroundings& surroundings)
    : workers_(surroundings.cpus, surroundings.cpus * 8),
      batches_(std::make_shared<const data::Batches>(
          opened(std::move(files), launch.config, setup.features,
                 {.storages = surroundings.storages,
                  .workers = workers_,
                  .profile = profile_,
                  .cache_bytes = std::min(std::uint64_t{128} << 20, surroundings.memory / 8)}))),
      batches_in_all_(*total_batches(found(), launch.config.training)),
      most_ahead_(most_ahead(launch.config, setup, surroundings)) {}

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
    *next.wanted = false;
  }
  return batches_->read(at(batch), lanes);
}

data::Position Input::at(std::uint64_t batch) const {
  return {batch / order().steps_in_epoch(), batch % order().steps_in_epoch()};
}

void Input::read_on(std::uint64_t batch, data::Range lanes) {
  while (ahead_.size() < most_ahead_ && batch + ahead_.size() < batches_in_all_) {
    const std::uint64_t next = batch + ahead_.size();
    const auto wanted = std::make_shared<std::atomic<bool>>(true);
    const auto read =
        std::make_shared<std::packaged_task<Result()>>([batches = batches_, position = at(next), lanes, wanted] {
          return *wanted ? batches->read(position, lanes) : Result();
        });
    ahead_.push_back({next, lanes, wanted, read->get_future()});
    workers_.run([read] { (*read)(); });
  }
}

}  // namespace carrack::train
