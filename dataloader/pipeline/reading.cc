#include "dataloader/pipeline/reading.h"

#include <utility>

#include "dataloader/error.h"
#include "dataloader/order/random.h"

namespace carrack::data {
namespace {

constexpr std::size_t told_of = 100;

std::uint64_t fingerprint_of(const Plan& plan, const Opened& opened) {
  return Random(0, in_words(plan) + "\n" + opened.contents).bits(0, 0);
}

}  // namespace

Reading::Reading(const Dataset& dataset, const Storages& storages, const ReadingOptions& options)
    : options_(options), profile_(options.timeline), workers_(options.cpus, options.most_threads) {
  const Surroundings surroundings{
      storages,           workers_,
      profile_,           {.bytes = options.memory / 2, .results = 0, .sloppy = !options.deterministic},
      options.memory / 2, options.share};
  opened_ = open(dataset.plan(), surroundings);
  if (!options.deterministic) opened_.resume = Resume::none;
  fingerprint_ = fingerprint_of(dataset.plan(), opened_);
  stream_ = stream_of(opened_, surroundings)(0);
}

std::optional<Rows> Reading::next() {
  for (;;) {
    const std::uint64_t begin_ns = profile_.age_ns();
    std::optional<Rows> rows = stream_->next();
    waited_ns_ += profile_.age_ns() - begin_ns;
    if (!rows) return std::nullopt;
    for (Lost& lost : rows->lost) {
      if (!options_.skip_corrupt) throw Error(text(lost.why));
      ++lost_;
      if (lost_first_.size() < told_of) lost_first_.push_back(std::move(lost.why));
    }
    rows->lost.clear();
    rows_ += rows->count;
    if (rows->count > 0) return rows;
  }
}

std::string Reading::state() const {
  StateWriter state;
  state.number(lost_);
  stream_->save(state);
  return sealed(fingerprint_, state.bytes());
}

void Reading::restore(std::string_view state) {
  StateReader reader(unsealed(fingerprint_, state));
  lost_ = reader.number();
  stream_->restore(reader);
  if (!reader.at_end()) throw Error("the state of the pipeline is damaged");
}

Measured Reading::measured() const {
  return {profile_.totals(), workers_.report(), options_.cpus, options_.most_threads,
          profile_.age_ns(), waited_ns_,        rows_,         opened_.files,
          opened_.file_bytes};
}

std::string Reading::timeline() const {
  return chrome_trace(profile_.totals(), profile_.spans());
}

}  // namespace carrack::data
