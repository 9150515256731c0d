#include "trainer/loop/data/input.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/order/random.h"
#include "dataloader/pipeline/stages/join_stages.h"
#include "dataloader/pipeline/stages/order_stages.h"
#include "dataloader/pipeline/stages/record_stages.h"
#include "dataloader/pipeline/stages/row_stages.h"
#include "trainer/error.h"
#include "trainer/launch/overloaded.h"
#include "trainer/launch/quantity.h"
#include "trainer/loop/setup/columns.h"
#include "trainer/loop/setup/memory.h"
#include "trainer/planning/memory_need.h"

namespace carrack::train {
namespace {

// The maximum size of the cache of file blocks of each set of files. In a process with little memory it is smaller.
constexpr std::uint64_t cache_bytes_max = std::uint64_t{128} << 20;

std::uint64_t sets_in(const Data& data) {
  return std::max<std::size_t>(data.mix.size(), 1);
}

std::uint64_t number(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

bool has_filters(const std::vector<Stage>& stages) {
  return std::ranges::any_of(stages, [](const Stage& stage) { return kind_of(stage) == StageKind::filter; });
}

// Returns how many lanes (shares of every batch) may read an epoch at the same time. In Async it is 1: a worker there
// computes whole batches, and any worker may compute any batch.
std::uint64_t parallel_lanes(const Training& training) {
  return training.consistency == Consistency::sync ? batching_of(training).lanes : 1;
}

// True if each lane (share of every batch) reads its own runs (neighbouring records of a file), so that few runs are
// read by two workers. Never in Async: any worker may compute any batch there, so a lane does not belong to a worker.
bool has_own_runs(const data::Opened& opened, const Training& training) {
  return training.consistency == Consistency::sync && opened.facts.read_order == data::ReadOrder::runs;
}

// Opens the records of a set of files, and applies the stages of the manifest (shuffle, take, ...) in their order.
class StageOpener {
 public:
  StageOpener(const data::OpenContext& context, std::uint64_t seed) : context_(context), seed_(seed) {}

  // Opens the records of a set of files. `field` is the field of the manifest that names them.
  data::Opened open(FileSet files, const std::vector<Stage>& stages, const std::string& field) {
    data::RecordFiles turns;
    for (const Stage& stage : stages) {
      const auto* interleave = std::get_if<Interleave>(&stage);
      if (interleave != nullptr) turns = {.cycle = number(interleave->cycle), .block = number(interleave->block)};
    }
    data::Opened opened = data::open_indexed(std::move(files), turns, context_);
    if (opened.sequence().size() == 0) {
      throw Error(Blame::user,
                  field + (has_filters(stages) ? ".stages: no record of the files' is within the bounds of each filter"
                                               : ".files: the files hold no record"));
    }
    return append(std::move(opened), stages, field);
  }

  data::Opened append(data::Opened opened, const std::vector<Stage>& stages, const std::string& field) {
    for (std::size_t i = 0; i < stages.size(); ++i) {
      const std::string place = field + ".stages[" + std::to_string(i) + "]: ";
      try {
        opened = append(std::move(opened), stages[i], place);
      } catch (const data::Error& error) {
        throw Error(Blame::user, place + error.what());
      }
    }
    if (opened.sequence().size() == 0) throw Error(Blame::user, field + ".stages: leave no record of the files'");
    return opened;
  }

 private:
  data::Opened append(data::Opened from, const Stage& stage, const std::string& place) {
    namespace stages = data::stages;
    data::OpenContext context = context_;
    context.error_prefix = place;
    return std::visit(
        overloaded{
            [&](const Shard& shard) {
              return stages::Shard{number(shard.count), number(shard.index)}.open(std::move(from), context);
            },
            [&](const Skip& skip) { return stages::Skip{number(skip.records)}.open(std::move(from), context); },
            [&](const Take& take) { return stages::Take{number(take.records)}.open(std::move(from), context); },
            [&](const Repeat& repeat) { return stages::Repeat{number(repeat.times)}.open(std::move(from), context); },
            [&](const Cache& cache) {
              return stages::Cache{parse_quantity(cache.memory).value()}.open(std::move(from), context);
            },
            [&](const Shuffle& shuffle) {
              data::Shuffle options = data_shuffle(shuffle);
              options.seed = seed_;
              return stages::ShuffleRows{options, shuffles_++}.open(std::move(from), context);
            },
            // Nothing is left to do: open() passed the interleaving of the files to open_indexed().
            [&](const Interleave&) { return std::move(from); },
            // The job reads the files of its snapshot. The process that wrote them has applied the filters already.
            [&](const Filter&) { return std::move(from); }, [&](const Snapshot&) { return std::move(from); }},
        stage);
  }

  const data::OpenContext& context_;
  std::uint64_t seed_;
  std::uint64_t shuffles_ = 0;
};

// Records in their order, and the text that identifies the order.
struct OrderedRecords {
  data::Opened opened;
  Order order;
};

OrderedRecords open_set(FileSet files, const Config& config, const data::OpenContext& context, StageOpener& opener) {
  OrderedSet set{.records = data::totals_of(files), .stages = config.data.stages};
  data::Opened opened = opener.open(std::move(files), set.stages, "spec.data.train");
  set.by_blocks = opened.facts.prefers_runs();
  Order order = order_of_set(set, {set.by_blocks, context.lanes}, has_own_runs(opened, config.training));
  return {std::move(opened), std::move(order)};
}

OrderedRecords open_mix(std::vector<FileSet> files, const Config& config, const data::OpenContext& context,
                        StageOpener& opener) {
  std::vector<data::Opened> opened_sets;
  std::vector<OrderedSet> sets;
  std::vector<double> weights;
  data::ReadOrder read_order = data::ReadOrder::as_stored;
  for (const MixedSet& mixed_set : config.data.mix) {
    const std::size_t i = sets.size();
    OrderedSet set{.records = data::totals_of(files[i]), .stages = mixed_set.stages, .weight = mixed_set.weight};
    data::Opened opened =
        opener.open(std::move(files[i]), set.stages, "spec.data.train.mix[" + std::to_string(i) + "]");
    set.by_blocks = opened.facts.prefers_runs();
    // There is one read order for the whole mix. If one set is read in runs (neighbouring records), each lane has its
    // own part of the mix. That costs the other sets nothing.
    if (opened.facts.read_order == data::ReadOrder::runs) read_order = data::ReadOrder::runs;
    weights.push_back(set.weight);
    sets.push_back(std::move(set));
    opened_sets.push_back(std::move(opened));
  }
  const data::stages::Mix mix{weights, number(config.training.seed)};
  data::Opened mixed = mix.open(std::move(opened_sets), context);
  mixed.facts.read_order = read_order;
  const OrderContext order_context{mixed.facts.prefers_runs(), context.lanes};
  mixed = opener.append(std::move(mixed), config.data.stages, "spec.data.train");
  Order order = order_of_mix(sets, config.data.stages, order_context, has_own_runs(mixed, config.training));
  return {std::move(mixed), std::move(order)};
}

OrderedRecords open_records(std::vector<FileSet> files, const Config& config, const data::OpenContext& context) {
  StageOpener opener(context, number(config.training.seed));
  if (config.data.mix.empty()) return open_set(std::move(files.at(0)), config, context, opener);
  return open_mix(std::move(files), config, context, opener);
}

data::Batches batches_of(const OrderedRecords& records, const Config& config, const data::RowsFunction& columns) {
  data::Batching batching = batching_of(config.training);
  batching.own_runs = has_own_runs(records.opened, config.training);
  return data::Batches(data::mapped(records.opened.sequence(), columns), records.order.text, batching,
                       data_on_damage(config.data.on_damage));
}

std::size_t ahead_max(const Config& config, const Setup& setup, const RoleContext& context) {
  const double batch = bytes_of_row(setup.model) * static_cast<double>(config.training.batch);
  return batches_ahead_max(batch, context.cpus, context.memory);
}

}  // namespace

Input::Input(std::vector<FileSet> sets, const Launch& launch, const Setup& setup, const RoleContext& context)
    : workers_(context.cpus, context.cpus * 8),
      is_sync_(launch.config.training.consistency == Consistency::sync),
      ahead_max_(ahead_max(launch.config, setup, context)) {
  const data::OpenContext open_context{
      .storages = context.storages,
      .workers = workers_,
      .profile = profile_,
      .cache_bytes = std::min(cache_bytes_max, context.memory / 8 / sets_in(launch.config.data)),
      .shuffle_memory =
          std::make_shared<data::ShuffleMemory>(bytes_for_shuffles(setup, launch.config, process_size(context))),
      .lanes = parallel_lanes(launch.config.training)};
  OrderedRecords records = open_records(std::move(sets), launch.config, open_context);
  batches_ = std::make_shared<const data::Batches>(batches_of(records, launch.config, setup.columns));
  order_text_ = std::move(records.order);
  total_batches_ = *total_batches(found(), launch.config.training);
}

data::Batch Input::read(const BatchRequest& request) {
  Result result = take(request);
  if (const auto* corrupt = std::get_if<data::Corrupt>(&result)) throw Error(Blame::user, data::text(*corrupt));
  read_ahead(request);
  return std::get<data::Batch>(std::move(result));
}

bool Input::wait_until_read(const BatchRequest& request, std::chrono::steady_clock::time_point deadline) const {
  const auto found = std::ranges::find_if(ahead_, [&](const Ahead& ahead) { return ahead.is_for(request); });
  return found != ahead_.end() && found->result.wait_until(deadline) == std::future_status::ready;
}

// Returns the batch that is read ahead for this request, and drops the batches before it. If there is none, drops all
// of them and reads the batch now.
Input::Result Input::take(const BatchRequest& request) {
  while (!ahead_.empty()) {
    Ahead next = std::move(ahead_.front());
    ahead_.pop_front();
    if (next.is_for(request)) return next.result.get();
    *next.still_wanted = false;
  }
  return batches_->read(at(request.batch), request.lanes, request.lanes_in_batch);
}

data::Position Input::at(std::uint64_t batch) const {
  return {batch / order().steps_in_epoch(), batch % order().steps_in_epoch()};
}

// Returns the batches to read ahead: in Sync those that follow, in Async those that the worker leases.
std::vector<std::uint64_t> Input::batches_after(const BatchRequest& request) const {
  std::vector<std::uint64_t> next = request.leases;
  if (is_sync_) {
    next.resize(std::min<std::uint64_t>(ahead_max_, total_batches_ - 1 - request.batch));
    std::iota(next.begin(), next.end(), request.batch + 1);
  }
  next.resize(std::min(next.size(), ahead_max_));
  return next;
}

// Starts to read the batches after this request. Those at the front of `ahead_` that are among them stay; the rest of
// `ahead_` is dropped.
void Input::read_ahead(const BatchRequest& request) {
  const std::vector<std::uint64_t> next = batches_after(request);
  std::size_t same = 0;
  while (same < std::min(ahead_.size(), next.size()) && ahead_[same].batch == next[same]) ++same;
  for (; ahead_.size() > same; ahead_.pop_back()) *ahead_.back().still_wanted = false;
  for (const std::uint64_t batch : std::span(next).subspan(same)) {
    const auto still_wanted = std::make_shared<std::atomic<bool>>(true);
    const auto read = std::make_shared<std::packaged_task<Result()>>(
        [batches = batches_, position = at(batch), lanes = request.lanes, count = request.lanes_in_batch,
         still_wanted] { return *still_wanted ? batches->read(position, lanes, count) : Result(); });
    ahead_.push_back({batch, request.lanes, request.lanes_in_batch, still_wanted, read->get_future()});
    workers_.run([read] { (*read)(); });
  }
}

}  // namespace carrack::train
