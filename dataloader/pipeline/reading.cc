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

namespace carrack::data {
namespace {

constexpr std::size_t lost_first_max = 100;

std::uint64_t fingerprint_of(const std::string& pipeline, const Facts& facts) {
  return Random(0, pipeline + "\n" + facts.data_fingerprint).bits(0, 0);
}

}  // namespace

ReadingOptions with_process_defaults(ReadingOptions options) {
  if (!options.cpus) options.cpus = static_cast<unsigned>(std::ceil(cpus_of_this_process()));
  constexpr std::uint64_t enough = std::uint64_t{2} << 30;
  if (!options.memory) options.memory = std::min(memory_of_this_process() / 8, enough);
  if (options.skip_corrupt) options.indexing.damage = Damage::indexed;
  return options;
}

class Reading::Pipeline {
 public:
  Pipeline(const Dataset& dataset, const Storages& storages, const ReadingOptions& options);

  std::optional<Rows> next();
  std::string state() const;
  void restore(std::string_view state);
  Measured measured() const;
  std::string timeline() const { return chrome_trace(profile_.totals(), profile_.spans()); }

  Resume resume() const { return opened_.facts.resume; }
  const std::vector<OpenedStage>& stages() const { return stages_; }
  std::uint64_t lost() const { return lost_; }
  std::uint64_t lost_bytes() const { return lost_bytes_; }
  const std::vector<Corrupt>& lost_first() const { return lost_first_; }

 private:
  void check_has_state() const;

  const ReadingOptions options_;
  Profile profile_;
  Workers workers_;
  std::vector<OpenedStage> stages_;
  Opened opened_;
  PlanPtr plan_;
  std::uint64_t fingerprint_ = 0;  // of the pipeline and its data
  StreamPtr stream_;
  bool begun_ = false;
  std::uint64_t rows_ = 0;
  std::uint64_t waited_ns_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t lost_bytes_ = 0;
  std::vector<Corrupt> lost_first_;
};

Reading::Pipeline::Pipeline(const Dataset& dataset, const Storages& storages, const ReadingOptions& options)
    : options_(with_process_defaults(options)),
      profile_(options_.timeline),
      workers_(*options_.cpus, options_.max_threads),
      plan_(std::make_shared<const Plan>(dataset.plan())) {
  const OpenContext context{
      .storages = storages,
      .workers = workers_,
      .profile = profile_,
      .ahead = {.bytes = *options_.memory / 2, .results = 0, .unordered = !options_.deterministic},
      .cache_bytes = *options_.memory / 2,
      .held_memory = std::make_shared<HeldMemory>(memory_of_this_process() / 2),
      .share = options_.share,
      .indexing = options_.indexing,
      .skip_corrupt = options_.skip_corrupt,
      .check_cancelled = options_.check_cancelled};
  opened_ = open(dataset.plan(), context,
                 [this](const Stage& stage, const Opened& opened) { stages_.push_back(opened_stage(stage, opened)); });
  if (!options_.deterministic) opened_.facts.resume = Resume::none;
  fingerprint_ = fingerprint_of(canonical(*plan_), opened_.facts);
  stream_ = stream_of(opened_, context)(0);
  lost_ = opened_.facts.skipped_rows;
  for (const Corrupt& lost : opened_.facts.skipped_first)
    if (lost_first_.size() < lost_first_max) lost_first_.push_back(lost);
}

std::optional<Rows> Reading::Pipeline::next() {
  begun_ = true;
  for (;;) {
    options_.check_cancelled();
    const std::uint64_t begin_ns = profile_.age_ns();
    std::optional<Rows> rows = stream_->next();
    waited_ns_ += profile_.age_ns() - begin_ns;
    if (!rows) return std::nullopt;
    for (Lost& lost : rows->lost) {
      if (!options_.skip_corrupt) throw Error(text(lost.why));
      ++lost_;
      lost_bytes_ += lost.why.lost;
      if (lost_first_.size() < lost_first_max) lost_first_.push_back(std::move(lost.why));
    }
    rows->lost.clear();
    rows_ += rows->count;
    if (rows->count > 0 || options_.share.count > 1) return rows;
  }
}

std::string Reading::Pipeline::state() const {
  check_has_state();
  StateWriter state;
  state.number(lost_);
  stream_->save(state);
  return seal_state(fingerprint_, state.bytes());
}

void Reading::Pipeline::restore(std::string_view state) {
  check_has_state();
  if (begun_) throw Error("a state is restored before the first next(); open the data set anew, and restore it there");
  const SealedState sealed = unseal_state(state);
  const std::uint64_t fingerprint =
      sealed.is_legacy ? fingerprint_of(legacy_identity(*plan_), opened_.facts) : fingerprint_;
  if (sealed.fingerprint != fingerprint)
    throw Error("the state is that of another pipeline, or of other data; begin anew, or put the pipeline back");
  StateReader reader(sealed.state);
  lost_ = reader.number();
  stream_->restore(reader);
  if (!reader.at_end()) throw Error("the state of the pipeline is damaged");
}

void Reading::Pipeline::check_has_state() const {
  if (!options_.deterministic)
    throw Error("there is no state of rows that come as they are ready; read with `deterministic` to go on later");
}

Measured Reading::Pipeline::measured() const {
  return {.stages = profile_.totals(),
          .workers = workers_.report(),
          .cpus = *options_.cpus,
          .max_threads = options_.max_threads,
          .passed_ns = profile_.age_ns(),
          .reader_waited_ns = waited_ns_,
          .rows = rows_,
          .files = opened_.facts.files,
          .file_bytes = opened_.facts.file_bytes,
          .lost = lost_,
          .lost_first = lost_first_};
}

Reading::Reading(const Dataset& dataset, const Storages& storages, const ReadingOptions& options)
    : pipeline_(std::make_unique<Pipeline>(dataset, storages, options)) {}

Reading::~Reading() = default;

std::optional<Rows> Reading::next() {
  return pipeline_->next();
}

std::string Reading::state() const {
  return pipeline_->state();
}

void Reading::restore(std::string_view state) {
  pipeline_->restore(state);
}

Resume Reading::resume() const {
  return pipeline_->resume();
}

const std::vector<OpenedStage>& Reading::stages() const {
  return pipeline_->stages();
}

std::uint64_t Reading::lost() const {
  return pipeline_->lost();
}

std::uint64_t Reading::lost_bytes() const {
  return pipeline_->lost_bytes();
}

const std::vector<Corrupt>& Reading::lost_first() const {
  return pipeline_->lost_first();
}

Measured Reading::measured() const {
  return pipeline_->measured();
}

std::string Reading::timeline() const {
  return pipeline_->timeline();
}

}  // namespace carrack::data
