#include "trainer/loop/data/input.h"

#include <algorithm>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/order/random.h"
#include "dataloader/pipeline/stages/stages.h"
#include "dataloader/sources/number_text.h"
#include "trainer/error.h"
#include "trainer/launch/quantity.h"
#include "trainer/loop/setup/memory.h"

namespace carrack::train {
namespace {

constexpr std::uint64_t most_kept = std::uint64_t{128} << 20;  // of the files of a set, in blocks

std::uint64_t sets_in(const Data& data) {
  return std::max<std::size_t>(data.mix.size(), 1);
}

std::uint64_t number(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

data::Shuffle::Kind kind_of(ShuffleKind kind) {
  using Kind = data::Shuffle::Kind;
  return kind == ShuffleKind::full ? Kind::full : kind == ShuffleKind::block ? Kind::block : Kind::by_place;
}

data::Shuffle shuffle_of(const Shuffle& shuffle) {
  return {.kind = kind_of(shuffle.kind), .block = number(shuffle.block), .window = number(shuffle.window)};
}

bool has_filters(const std::vector<Stage>& stages) {
  return std::ranges::any_of(stages, [](const Stage& stage) { return kind_of(stage) == StageKind::filter; });
}

// Into how many parts an epoch may be cut that are gone through side by side.
std::uint64_t lanes_apart(const Training& training) {
  return training.consistency == Consistency::sync ? batching_of(training).lanes : 1;
}

// The stages of a job in their turn.
class Stages {
 public:
  Stages(const data::OpenContext& context, std::uint64_t seed) : context_(context), seed_(seed) {}

  // The records of a set of files. `field` is where the manifest tells of it.
  data::Opened of(FileSet files, const std::vector<Stage>& stages, const std::string& field) {
    data::RecordFiles turns;
    for (const Stage& stage : stages) {
      const auto* interleave = std::get_if<Interleave>(&stage);
      if (interleave != nullptr) turns = {.cycle = number(interleave->cycle), .block = number(interleave->block)};
    }
    data::Opened opened = data::open_indexed(std::move(files), turns, context_);
    if (opened.sequence->size() == 0) {
      throw Error(Blame::user,
                  field + (has_filters(stages) ? ".stages: no record of the files' is within the bounds of each filter"
                                               : ".files: the files hold no record"));
    }
    return after(std::move(opened), stages, field);
  }

  data::Opened after(data::Opened opened, const std::vector<Stage>& stages, const std::string& field) {
    for (std::size_t i = 0; i < stages.size(); ++i) {
      const std::string place = field + ".stages[" + std::to_string(i) + "]: ";
      try {
        opened = after(std::move(opened), stages[i], place);
      } catch (const data::Error& error) {
        throw Error(Blame::user, place + error.what());
      }
    }
    if (opened.sequence->size() == 0) throw Error(Blame::user, field + ".stages: leave no record of the files'");
    return opened;
  }

 private:
  data::Opened after(data::Opened from, const Stage& stage, const std::string& place) {
    if (const auto* shard = std::get_if<Shard>(&stage))
      return data::open_shard(std::move(from), context_, number(shard->count), number(shard->index));
    if (const auto* skip = std::get_if<Skip>(&stage))
      return data::open_cut(std::move(from), context_, number(skip->records), data::endless);
    if (const auto* take = std::get_if<Take>(&stage))
      return data::open_cut(std::move(from), context_, 0, number(take->records));
    if (const auto* repeat = std::get_if<Repeat>(&stage))
      return data::open_repeat(std::move(from), context_, number(repeat->times));
    if (const auto* cache = std::get_if<Cache>(&stage))
      return data::open_cache(std::move(from), context_, parse_quantity(cache->memory).value(), place);
    if (const auto* shuffle = std::get_if<Shuffle>(&stage)) {
      return data::open_shuffle(std::move(from), context_, shuffle_of(*shuffle),
                                data::shuffle_random(seed_, shuffles_++), place);
    }
    return from;  // Interleave is of the files, and what stands before a snapshot, of what is in it.
  }

  const data::OpenContext& context_;
  std::uint64_t seed_;
  std::uint64_t shuffles_ = 0;
};

// By what each changes of the order.
std::string words_of(const std::vector<Stage>& stages, bool are_far, std::uint64_t lanes) {
  std::string words;
  for (Stage stage : stages) {
    auto* shuffle = std::get_if<Shuffle>(&stage);
    if (shuffle != nullptr && shuffle->kind == ShuffleKind::by_place)
      shuffle->kind = are_far ? ShuffleKind::block : ShuffleKind::full;
    if (shuffle != nullptr && shuffle->kind == ShuffleKind::full) *shuffle = {.kind = ShuffleKind::full};
    const bool is_in_runs = shuffle != nullptr && shuffle->kind == ShuffleKind::block;
    if (is_in_runs) shuffle->window = static_cast<std::int64_t>(data::window_of_lane(shuffle_of(*shuffle), lanes));
    // Where records lie changes nothing, nor does how much a cache may take.
    if (std::holds_alternative<Snapshot>(stage)) continue;
    words += "; " + (std::holds_alternative<Cache>(stage) ? std::string("cache") : to_launch_line(stage));
    if (is_in_runs) words += " by runs";  // Before these words were added it was another order.
  }
  return words;
}

// What tells a set from others: its records, and what is done with them where that is not what is done anyway.
std::string contents_of(const data::Opened& set, const std::vector<Stage>& stages, std::uint64_t lanes) {
  const std::string words = words_of(stages, set.is_far, lanes);
  const bool is_usual = words == "; " + to_launch_line(Stage(Shuffle{.kind = ShuffleKind::full}));
  return set.contents + (is_usual ? "" : words.empty() ? "; no stages" : words);
}

data::Opened opened_mix(std::vector<FileSet> files, const Config& config, const data::OpenContext& context,
                        Stages& stages) {
  std::vector<data::Opened> sets;
  std::vector<double> weights;
  data::Opened told;
  for (const MixedSet& set : config.data.mix) {
    const std::size_t i = sets.size();
    sets.push_back(stages.of(std::move(files[i]), set.stages, "spec.data.train.mix[" + std::to_string(i) + "]"));
    weights.push_back(set.weight);
    told.is_far = told.is_far || sets.back().is_far;
    told.held_rows += sets.back().held_rows;
    // Where a set's runs lie apart, lanes go apart; to the others it makes no difference.
    if (sets.back().spread == data::Spread::runs) told.spread = data::Spread::runs;
    told.contents += (i == 0 ? "" : ", ") + data::exact_text(set.weight) + " of (" +
                     contents_of(sets.back(), set.stages, context.lanes) + ")";
  }
  const data::Random random(number(config.training.seed), "mix");
  told.sequence = data::open_mixed(std::move(sets), context, weights, random).sequence;
  return told;
}

data::Batches opened(std::vector<FileSet> files, const Config& config, const data::RowsFunction& columns,
                     const data::OpenContext& context) {
  const Data& data = config.data;
  const bool is_sync = config.training.consistency == Consistency::sync;  // Else a batch is anybody's as a whole.
  data::Batching batching = batching_of(config.training);
  Stages stages(context, number(config.training.seed));
  data::Opened opened;
  if (data.mix.empty()) {
    opened = stages.of(std::move(files.at(0)), data.stages, "spec.data.train");
    opened.contents = contents_of(opened, data.stages, context.lanes);
  } else {
    opened = opened_mix(std::move(files), config, context, stages);
    opened.contents += words_of(data.stages, opened.is_far, context.lanes);
    opened = stages.after(std::move(opened), data.stages, "spec.data.train");
  }
  batching.own_runs = is_sync && opened.spread == data::Spread::runs;
  if (batching.own_runs) opened.contents += "; in " + std::to_string(batching.lanes) + " lanes";
  return data::Batches(data::mapped(opened.sequence, columns), opened.contents, batching);
}

// How many batches may lie ready: so many that all CPUs can read, if they fit.
std::size_t most_ahead(const Config& config, const Setup& setup, const RoleContext& context) {
  // Which batch comes next is not known.
  if (config.training.consistency == Consistency::async) return 0;
  const double batch = static_cast<double>(bytes_of_row(setup)) * static_cast<double>(config.training.batch);
  return static_cast<std::size_t>(std::min<double>(context.cpus + 1, static_cast<double>(context.memory / 8) / batch));
}

}  // namespace

Input::Input(std::vector<FileSet> sets, const Launch& launch, const Setup& setup, const RoleContext& context)
    : workers_(context.cpus, context.cpus * 8),
      batches_(std::make_shared<const data::Batches>(opened(
          std::move(sets), launch.config, setup.columns,
          {.storages = context.storages,
           .workers = workers_,
           .profile = profile_,
           .cache_bytes = std::min(most_kept, context.memory / 8 / sets_in(launch.config.data)),
           .held_memory = std::make_shared<data::HeldMemory>(bytes_for_shuffles(setup, launch.config, context.memory)),
           .lanes = lanes_apart(launch.config.training)}))),
      batches_in_all_(*total_batches(found(), launch.config.training)),
      most_ahead_(most_ahead(launch.config, setup, context)) {}

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
