#include "trainer/loop/storage/shard_store.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "trainer/comm/protocol/diverged.h"
#include "trainer/comm/protocol/wire_runs.h"
#include "trainer/error.h"
#include "trainer/loop/setup/values_of_data.h"
#include "trainer/loop/storage/initial_weights.h"

namespace carrack::train {
namespace {

std::span<const float> part(const Floats& values, const Slice& slice, Range range) {
  return std::span(values).subspan(static_cast<std::size_t>(slice.offset - range.begin),
                                   static_cast<std::size_t>(slice.size));
}

std::span<float> part(Floats& values, const Slice& slice, Range range) {
  return std::span(values).subspan(static_cast<std::size_t>(slice.offset - range.begin),
                                   static_cast<std::size_t>(slice.size));
}

wire::Slice wire_from(const checkpoint::ShardEntry& entry) {
  wire::Slice slice;
  slice.set_tensor(entry.name);
  for (const std::int64_t size : entry.shape) slice.add_shape(static_cast<std::uint64_t>(size));
  slice.set_dtype(static_cast<std::uint32_t>(entry.dtype));
  slice.set_row_begin(static_cast<std::uint64_t>(entry.rows.begin));
  slice.set_row_count(static_cast<std::uint64_t>(entry.rows.count));
  slice.set_offset(entry.offset);
  slice.set_size(entry.size);
  slice.set_crc32c(entry.crc32c);
  return slice;
}

// Returns the name of the checkpoint that the coordinator orders with `cut`. The attempt in the name may be higher than
// that of this process, because it includes the attempts of earlier jobs in the folder.
checkpoint::Cut name_of(const wire::Cut& cut, const Fence& fence) {
  const std::optional<checkpoint::Cut> name = checkpoint::cut_of_file(cut.prefix());
  const bool is_of_cut = name && checkpoint::prefix_of(*name) == cut.prefix() && name->step == cut.version() &&
                         name->incarnation == cut.number() >> 32 && name->number == (cut.number() & 0xffffffffu) &&
                         name->attempt >= static_cast<std::uint64_t>(fence.attempt);
  if (!is_of_cut) throw Error(Blame::bug, "a cut is ordered as " + cut.prefix());
  return *name;
}

}  // namespace

ShardStore::ShardStore(const Launch& launch, const Setup& setup, const data::Storages& storages)
    : launch_(launch),
      setup_(setup),
      storages_(storages),
      folder_(storages.for_url(launch.config.checkpoint.folder), launch.config.checkpoint.folder),
      server_(static_cast<std::uint32_t>(launch.member.index)),
      range_(setup.ranges.at(server_)),
      slices_(slices(setup.layout, range_)) {}

std::vector<std::shared_ptr<Floats>> ShardStore::optimizer_state(std::size_t size) const {
  std::vector<std::shared_ptr<Floats>> states;
  for (std::size_t i = 0; i < state_names(setup_.optimizer).size(); ++i) {
    states.push_back(std::make_shared<Floats>(size, initial_state(setup_.optimizer)));
  }
  return states;
}

// Returns the means and deviations of the training data, with which some layers begin. The coordinator has written them
// before it orders any server to load, so it is an error if they are missing.
ValuesOfData ShardStore::values_of_data(const std::string& order) {
  if (setup_.model.standardized.empty()) return {};
  const std::optional<checkpoint::Statistics> statistics = folder_.statistics();
  const std::string file = launch_.config.checkpoint.folder + ": " + checkpoint::statistics_name;
  if (!statistics) throw Error(Blame::user, file + " is not there; was it removed? Start the job again");
  if (!matches_model(*statistics, setup_.model)) {
    throw Error(Blame::user, file + " is not of this model's layers; was it replaced? Start the job again");
  }
  if (statistics->order != order_of_statistics(order, setup_.model, launch_.config.training.seed)) {
    throw Error(Blame::platform, file + " is of other data; a coordinator that is replaced has written it");
  }
  return values_from_statistics(*statistics);
}

ShardState ShardStore::initial(const wire::Load& from, const std::function<void()>& progressed) {
  const auto size = static_cast<std::size_t>(range_.size());
  Floats parameters(size);
  initialize(setup_.model, static_cast<std::uint64_t>(launch_.config.training.seed), range_, parameters,
             values_of_data(from.order()));
  if (const auto& weights = launch_.config.training.initial_weights) {
    read_initial_weights(*weights, setup_.layout, range_, parameters, storages_, from.initial_weights(), progressed);
  }
  ShardState state;
  state.parameters = std::make_shared<const Floats>(std::move(parameters));
  state.optimizer = optimizer_state(size);
  return state;
}

ShardState ShardStore::load(const wire::Load& from, const std::function<void()>& progressed) {
  ShardState state = loaded(from, progressed);
  use_memory_once();
  return state;
}

// The first call allocates the memory that steps and a save will need, writes to it, and frees it. So the operating
// system provides this memory before training begins, and not during the first steps.
void ShardStore::use_memory_once() {
  if (std::exchange(has_used_memory_, true)) return;
  const bool is_sync = launch_.config.training.consistency == Consistency::sync;
  const bool adds_sums = is_sync && launch_.config.training.deterministic && launch_.config.workers.max > 1;
  // A step needs one or two sums of gradients and, in Sync, a copy of the parameters before the last update.
  const std::size_t of_step = (adds_sums ? 2 : 1) + (is_sync ? 1 : 0);
  const std::size_t of_save = 1 + state_names(setup_.optimizer).size();
  std::vector<Floats> held(of_step + of_save);
  for (Floats& values : held) values.assign(static_cast<std::size_t>(range_.size()), 0);
}

ShardState ShardStore::loaded(const wire::Load& from, const std::function<void()>& progressed) {
  if (from.manifest().empty()) return initial(from, progressed);
  try {
    return stored(from, progressed);
  } catch (const Error&) {
    if (!from.resumed() && is_replaced(from.manifest())) {
      throw Error(Blame::platform, from.manifest() +
                                       ": was to be loaded by order of a coordinator that is replaced, and is removed, "
                                       "as a later checkpoint is committed; this is tried again");
    }
    throw;
  }
}

// True if the last commit of the folder is another checkpoint by now.
bool ShardStore::is_replaced(const std::string& manifest) {
  const std::optional<checkpoint::Head> head = folder_.head();
  return head && head->committed && head->committed->manifest != manifest;
}

const std::string& ShardStore::source_of(const wire::Load& from) const {
  const Config& config = launch_.config;
  if (from.manifest().empty() && config.training.initial_weights) return config.training.initial_weights->from;
  return from.resumed() ? config.checkpoint.resume : config.checkpoint.folder;
}

ShardState ShardStore::stored(const wire::Load& from, const std::function<void()>& progressed) const {
  const std::string& url = source_of(from);
  checkpoint::CheckpointFolder folder(storages_.for_url(url), url);
  const checkpoint::Manifest manifest = folder.manifest({from.manifest(), from.manifest_crc32c()});
  checkpoint::StoredBundle bundle = folder.open(manifest);
  bundle.read = [&progressed, read = std::move(bundle.read)](const std::string& file, std::uint64_t offset,
                                                             std::span<std::byte> into) {
    progressed();
    return read(file, offset, into);
  };
  const auto size = static_cast<std::size_t>(range_.size());
  Floats parameters(size);
  ShardState state;
  state.optimizer = optimizer_state(size);
  for (const Slice& slice : slices_) {
    read(url, bundle, slice.name, slice, part(parameters, slice, range_));
    for (std::size_t i = 0; i < state.optimizer.size(); ++i) {
      const std::string name = state_tensor(slice.name, state_names(setup_.optimizer)[i]);
      read(url, bundle, name, slice, part(*state.optimizer[i], slice, range_));
    }
  }
  state.parameters = std::make_shared<const Floats>(std::move(parameters));
  state.version = manifest.cut.step;
  state.skipped = {manifest.skipped.records, manifest.skipped.first};
  std::optional<BatchSet> applied = runs_from(from.applied());
  if (!applied) throw Error(Blame::bug, "the coordinator has ordered to load batches that cannot be applied");
  state.applied = *std::move(applied);
  return state;
}

void ShardStore::read(const std::string& folder, const checkpoint::StoredBundle& bundle, const std::string& tensor,
                      const Slice& slice, std::span<float> values) const {
  const auto corrupt =
      checkpoint::read_rows(bundle, tensor, {slice.row_begin, slice.row_count}, std::as_writable_bytes(values));
  if (corrupt) {
    throw Error(Blame::user, folder + ": " + corrupt->text + "; it is not what Carrack wrote: restore it");
  }
}

// Throws if a parameter or a value of the optimizer's state is infinite or NaN, because a job cannot continue from such
// a checkpoint. The loss does not show that: it depends on the parameters before the last step.
void ShardStore::require_finite(const ShardState& state) const {
  const auto require = [&](const Floats& values, const Slice& slice, const std::string& tensor) {
    const std::span<const float> own = part(values, slice, range_);
    if (std::ranges::all_of(own, [](float one) { return std::isfinite(one); })) return;
    throw diverged(tensor + " is not finite after step " + std::to_string(state.version));
  };
  for (const Slice& slice : slices_) {
    require(*state.parameters, slice, slice.name);
    for (std::size_t i = 0; i < state.optimizer.size(); ++i) {
      require(*state.optimizer[i], slice, state_tensor(slice.name, state_names(setup_.optimizer)[i]));
    }
  }
}

wire::Saved ShardStore::save(const wire::Cut& cut, const ShardState& state, const std::function<void()>& progressed) {
  const checkpoint::Cut name = name_of(cut, launch_.fence);
  require_finite(state);
  const auto servers = static_cast<std::uint32_t>(setup_.ranges.size());
  const checkpoint::CheckpointFolder::SavedShard saved =
      folder_.save(name, server_, servers, [&](checkpoint::ShardWriter& writer) {
        for (const Slice& slice : slices_) {
          const checkpoint::Rows rows{slice.row_begin, slice.row_count};
          progressed();
          writer.add(slice.name, checkpoint::DType::float32, slice.shape, rows,
                     std::as_bytes(part(*state.parameters, slice, range_)));
          for (std::size_t i = 0; i < state.optimizer.size(); ++i) {
            progressed();
            writer.add(state_tensor(slice.name, state_names(setup_.optimizer)[i]), checkpoint::DType::float32,
                       slice.shape, rows, std::as_bytes(part(std::as_const(*state.optimizer[i]), slice, range_)));
          }
        }
      });
  wire::Saved message;
  message.set_timeline(cut.timeline());
  message.set_number(cut.number());
  for (const checkpoint::ShardEntry& entry : saved.report.entries) *message.add_slices() = wire_from(entry);
  message.set_size(saved.report.size);
  message.set_crc32c(saved.report.crc32c);
  message.set_generation(saved.file.generation);
  *message.mutable_applied() = train::wire_from(state.applied.list());
  if (state.skipped.records > 0) *message.mutable_skipped() = train::wire_from(state.skipped);
  return message;
}

}  // namespace carrack::train
