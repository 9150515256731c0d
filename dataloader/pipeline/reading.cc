#include "dataloader/pipeline/reading.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/machine/limits.h"
#include "dataloader/order/random.h"
#include "dataloader/pipeline/execution/workers.h"
#include "dataloader/pipeline/stages/legacy_identity.h"
#include "dataloader/pipeline/stages/plan.h"
#include "dataloader/text.h"

namespace carrack::data {
namespace {

constexpr std::size_t first_lost_max = 100;

std::uint64_t fingerprint_of(const std::string& pipeline, const Facts& facts) {
  return Random(0, pipeline + "\n" + facts.data_fingerprint).bits(0, 0);
}

// Indexes damaged files like others, so that opening a data set does not fail because of damage. Reading reports
// damaged records when it comes to them.
IndexingOptions indexing_of(const ReadingOptions& options) {
  IndexingOptions indexing = options.indexing;
  indexing.damage = DamagedFile::indexed;
  return indexing;
}

std::string text_with_loss(const Corrupt& damage) {
  return text(damage) + (damage.lost > 0 ? "; " + counted(damage.lost, "byte") + " lost" : "");
}

}  // namespace

ReadingOptions with_process_defaults(ReadingOptions options) {
  if (!options.cpus) options.cpus = static_cast<unsigned>(std::ceil(cpus_of_this_process()));
  constexpr std::uint64_t enough = std::uint64_t{2} << 30;
  if (!options.memory) options.memory = std::min(memory_of_this_process() / 8, enough);
  return options;
}

struct Reading::Pipeline {
  Pipeline(const Dataset& dataset, const Storages& storages, const ReadingOptions& given_options);

  void take_lost(Rows& rows);
  bool is_left_out(const Rows& rows) const;
  void check_has_state() const {
    if (!options.deterministic)
      throw Error("there is no state of rows that come as they are ready; read with `deterministic` to go on later");
  }

  const ReadingOptions options;
  Profile profile;
  Workers workers;
  std::vector<OpenedStage> stages;
  Opened opened;
  PlanPtr plan;
  std::uint64_t fingerprint = 0;  // of the pipeline and its data
  StreamPtr stream;
  bool begun = false;
  Measured measured;  // Reading::measured() sets the fields that are not set here.
  std::uint64_t lost_bytes = 0;
  std::optional<Corrupt> damage;  // the damage at which reading has stopped; nullopt if it has not stopped
};

// Removes the lost rows from `rows`. With OnDamage::skip counts them. With OnDamage::stop stores the damage of the
// first one, and the next call of next() throws it.
void Reading::Pipeline::take_lost(Rows& rows) {
  for (Lost& lost : rows.lost) {
    if (options.on_damage == OnDamage::stop) {
      damage = std::move(lost.why);
      break;
    }
    ++measured.lost;
    lost_bytes += lost.why.lost;
    if (measured.first_lost.size() < first_lost_max) measured.first_lost.push_back(std::move(lost.why));
  }
  rows.lost.clear();
  rows.is_cut = false;
}

// Returns true for a batch that is too short because reading stops at damage, if the pipeline leaves out short batches
// (drop_remainder).
bool Reading::Pipeline::is_left_out(const Rows& rows) const {
  const std::uint64_t whole = lane_of(opened.batch, options.share.count, options.share.index).size();
  return options.on_damage == OnDamage::stop && opened.drop_remainder && rows.count < whole;
}

Reading::Pipeline::Pipeline(const Dataset& dataset, const Storages& storages, const ReadingOptions& given_options)
    : options(with_process_defaults(given_options)),
      profile(options.timeline),
      workers(*options.cpus, options.max_threads),
      plan(std::make_shared<const Plan>(dataset.plan())) {
  const OpenContext context{.storages = storages,
                            .workers = workers,
                            .profile = profile,
                            .ahead = {.bytes = *options.memory / 2,
                                      .results = 0,
                                      .unordered = !options.deterministic,
                                      .on_damage = options.on_damage},
                            .cache_bytes = *options.memory / 2,
                            .shuffle_memory = std::make_shared<ShuffleMemory>(memory_of_this_process() / 2),
                            .share = options.share,
                            .indexing = indexing_of(options),
                            .on_damage = options.on_damage,
                            .check_cancelled = options.check_cancelled};
  opened = open(*plan, context,
                [this](const Stage& stage, const Opened& one) { stages.push_back(opened_stage(stage, one)); });
  if (!options.deterministic) opened.facts.resume = Resume::none;
  fingerprint = fingerprint_of(canonical(*plan), opened.facts);
  stream = stream_of(opened, context)(0);
  measured = {.cpus = *options.cpus,
              .max_threads = options.max_threads,
              .files = opened.facts.files,
              .file_bytes = opened.facts.file_bytes,
              .lost = opened.facts.skipped_rows,
              .first_lost = opened.facts.first_skipped};
  measured.first_lost.resize(std::min(measured.first_lost.size(), first_lost_max));
}

Damaged::Damaged(Corrupt corrupt) : Refused(text_with_loss(corrupt)), why_(std::move(corrupt)) {}

Reading::Reading(const Dataset& dataset, const Storages& storages, const ReadingOptions& options)
    : pipeline_(std::make_unique<Pipeline>(dataset, storages, options)) {}

Reading::~Reading() = default;

std::optional<Rows> Reading::next() {
  Pipeline& pipeline = *pipeline_;
  pipeline.begun = true;
  for (;;) {
    if (pipeline.damage) throw Damaged(*pipeline.damage);
    pipeline.options.check_cancelled();
    const std::uint64_t begin_ns = pipeline.profile.age_ns();
    std::optional<Rows> rows = pipeline.stream->next();
    pipeline.measured.reader_waited_ns += pipeline.profile.age_ns() - begin_ns;
    if (!rows) return std::nullopt;
    pipeline.take_lost(*rows);
    if (pipeline.is_left_out(*rows)) continue;
    pipeline.measured.rows += rows->count;
    // If several readers share each batch, the share of this reader may be empty. Returns it nevertheless, so that all
    // readers return the same number of batches.
    const bool is_empty_share = pipeline.options.share.count > 1 && !pipeline.damage;
    if (rows->count > 0 || is_empty_share) return rows;
  }
}

std::string Reading::state() const {
  pipeline_->check_has_state();
  StateWriter state;
  state.number(pipeline_->measured.lost);
  pipeline_->stream->save(state);
  return seal_state(pipeline_->fingerprint, state.bytes());
}

void Reading::restore(std::string_view state) {
  pipeline_->check_has_state();
  if (pipeline_->begun)
    throw Error("a state is restored before the first next(); open the data set again, and restore it there");
  const SealedState sealed = unseal_state(state);
  const std::uint64_t fingerprint = sealed.is_legacy
                                        ? fingerprint_of(legacy_identity(*pipeline_->plan), pipeline_->opened.facts)
                                        : pipeline_->fingerprint;
  if (sealed.fingerprint != fingerprint)
    throw Error("the state is that of another pipeline, or of other data; start again, or put the pipeline back");
  StateReader reader(sealed.state);
  pipeline_->measured.lost = reader.number();
  pipeline_->stream->restore(reader);
  if (!reader.at_end()) throw Error("the state of the pipeline is damaged");
}

Resume Reading::resume() const {
  return pipeline_->opened.facts.resume;
}

const std::vector<OpenedStage>& Reading::stages() const {
  return pipeline_->stages;
}

std::uint64_t Reading::lost() const {
  return pipeline_->measured.lost;
}

std::uint64_t Reading::lost_bytes() const {
  return pipeline_->lost_bytes;
}

const std::vector<Corrupt>& Reading::first_lost() const {
  return pipeline_->measured.first_lost;
}

Measured Reading::measured() const {
  Measured measured = pipeline_->measured;
  measured.stages = pipeline_->profile.totals();
  measured.workers = pipeline_->workers.report();
  measured.passed_ns = pipeline_->profile.age_ns();
  return measured;
}

std::string Reading::timeline() const {
  return chrome_trace(pipeline_->profile.totals(), pipeline_->profile.spans());
}

}  // namespace carrack::data
