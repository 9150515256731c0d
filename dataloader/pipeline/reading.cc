#include "dataloader/pipeline/reading.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/machine/limits.h"
#include "dataloader/order/random.h"

namespace carrack::data {
namespace {

constexpr std::size_t told_of = 100;

std::uint64_t fingerprint_of(const Plan& plan, const Opened& opened) {
  return Random(0, in_words(plan) + "\n" + opened.contents).bits(0, 0);
}

}  // namespace

ReadingOptions in_this_process(ReadingOptions asked) {
  if (!asked.cpus) asked.cpus = static_cast<unsigned>(std::ceil(cpus_of_this_process()));
  constexpr std::uint64_t enough = std::uint64_t{2} << 30;
  if (!asked.memory) asked.memory = std::min(memory_of_this_process() / 8, enough);
  if (asked.skip_corrupt) asked.indexing.damage = Damage::indexed;
  return asked;
}

Reading::Reading(const Dataset& dataset, const Storages& storages, const ReadingOptions& options)
    : options_(in_this_process(options)), profile_(options_.timeline), workers_(*options_.cpus, options_.most_threads) {
  const OpenContext context{.storages = storages,
                            .workers = workers_,
                            .profile = profile_,
                            .ahead = {.bytes = *options_.memory / 2, .results = 0, .sloppy = !options_.deterministic},
                            .cache_bytes = *options_.memory / 2,
                            .held_memory = std::make_shared<HeldMemory>(memory_of_this_process() / 2),
                            .share = options_.share,
                            .indexing = options_.indexing,
                            .skip_corrupt = options_.skip_corrupt,
                            .check_cancelled = options_.check_cancelled};
  opened_ = open(dataset.plan(), context,
                 [this](const Plan& plan, const Opened& opened) { stages_.push_back(stage_of(plan, opened)); });
  if (!options_.deterministic) opened_.resume = Resume::none;
  fingerprint_ = fingerprint_of(dataset.plan(), opened_);
  stream_ = stream_of(opened_, context)(0);
  lost_ = opened_.lost;
  for (const Corrupt& lost : opened_.lost_first)
    if (lost_first_.size() < told_of) lost_first_.push_back(lost);
}

std::optional<Rows> Reading::next() {
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
      if (lost_first_.size() < told_of) lost_first_.push_back(std::move(lost.why));
    }
    rows->lost.clear();
    rows_ += rows->count;
    if (rows->count > 0 || options_.share.of > 1) return rows;
  }
}

std::string Reading::state() const {
  require_state();
  StateWriter state;
  state.number(lost_);
  stream_->save(state);
  return sealed(fingerprint_, state.bytes());
}

void Reading::restore(std::string_view state) {
  require_state();
  if (begun_) throw Error("a state is restored before the first next(); open the data set anew, and restore it there");
  StateReader reader(unsealed(fingerprint_, state));
  lost_ = reader.number();
  stream_->restore(reader);
  if (!reader.at_end()) throw Error("the state of the pipeline is damaged");
}

void Reading::require_state() const {
  if (!options_.deterministic)
    throw Error("there is no state of rows that come as they are ready; read with `deterministic` to go on later");
}

Measured Reading::measured() const {
  return {.stages = profile_.totals(),
          .workers = workers_.report(),
          .cpus = *options_.cpus,
          .most_threads = options_.most_threads,
          .passed_ns = profile_.age_ns(),
          .reader_waited_ns = waited_ns_,
          .rows = rows_,
          .files = opened_.files,
          .file_bytes = opened_.file_bytes,
          .lost = lost_,
          .lost_first = lost_first_};
}

std::string Reading::timeline() const {
  return chrome_trace(profile_.totals(), profile_.spans());
}

}  // namespace carrack::data
