#include "trainer/loop/data/training_data.h"

#include <algorithm>
#include <utility>

#include "trainer/error.h"
#include "trainer/loop/setup/columns.h"
#include "trainer/points.h"

namespace carrack::train {
namespace {

// Throws because a file is damaged. The job is in its first pass: the epoch of a job whose files had no index at its
// start (docs/design/unindexed-epoch.md). A first pass identifies a file by its version in storage. So a repaired file
// counts as a different file, and this job cannot continue with it.
[[noreturn]] void throw_unusable(const data::Corrupt& corrupt, OnDamage on_damage) {
  const std::string skip = on_damage == OnDamage::stop ? "set spec.data.onDamage: skip to go on without it, or " : "";
  throw Error(Blame::user,
              data::text(corrupt) + "; " + skip +
                  "mend the file (`carrack data convert` with --on-damage skip leaves out what is damaged) and "
                  "begin another job, with another checkpoint.folder: this one began before its data was indexed, "
                  "and what it has committed goes on with these very files alone");
}

}  // namespace

TrainingData::TrainingData(JobData data, const Launch& launch, const Setup& setup, const RoleContext& context)
    : launch_(launch),
      setup_(setup),
      context_(context),
      batch_records_max_(static_cast<std::uint64_t>(launch.config.training.batch)),
      skipped_log_(context.log) {
  if (auto* pass = std::get_if<data::FirstPass>(&data)) {
    order_ = order_of_first_pass(*pass);
    first_pass_.emplace(std::move(*pass), setup.columns, data_on_damage(launch.config.data.on_damage));
  } else {
    indexed_ = std::get<std::unique_ptr<Input>>(std::move(data));
    order_ = indexed_->found().order;
    batch_records_max_ = std::min(batch_records_max_, indexed_->order().records());
  }
}

bool TrainingData::wait_until_read(const BatchRequest& request, std::chrono::steady_clock::time_point deadline) const {
  const WaitTime::Span span(*waited_);
  return !first_pass_ && indexed_->wait_until_read(request, deadline);
}

std::variant<TrainingData::Step, JobEnded> TrainingData::read(const BatchRequest& request,
                                                              const std::function<void()>& goes_on) {
  const WaitTime::Span span(*waited_);
  auto read = read_step(request, goes_on);
  if (const auto* step = std::get_if<Step>(&read)) skipped_log_.add(step->batch.rows.lost);
  return read;
}

std::variant<TrainingData::Step, JobEnded> TrainingData::read_step(const BatchRequest& request,
                                                                   const std::function<void()>& goes_on) {
  if (!first_pass_) return Step{indexed_->read(request), false};
  if (first_pass_totals_ && request.batch >= first_pass_totals_->steps) return read_after_first_pass(request);
  const CrashPoint point("worker.read_first_pass");
  auto read = first_pass_->read(request.batch, request.lanes, goes_on);
  if (const auto* corrupt = std::get_if<data::Corrupt>(&read)) throw_unusable(*corrupt, launch_.config.data.on_damage);
  if (auto* batch = std::get_if<data::Batch>(&read)) return Step{std::move(*batch), true};
  first_pass_totals_ = std::get<data::FirstPass::Totals>(read);
  return read_after_first_pass(request);
}

std::variant<TrainingData::Step, JobEnded> TrainingData::read_after_first_pass(const BatchRequest& request) {
  const Training& training = launch_.config.training;
  const std::uint64_t total = total_batches(*first_pass_totals_, training);
  if (request.batch >= total) return JobEnded{total};
  if (!indexed_) indexed_ = std::make_unique<Input>(one_set(first_pass_->indexed()), launch_, setup_, context_);
  // Input numbers batches as if all epochs had the same number of batches. The first pass may have more steps, so the
  // number of the batch is corrected by the difference.
  BatchRequest after = request;
  after.batch += batches_per_epoch(*first_pass_totals_, training) - first_pass_totals_->steps;
  return Step{indexed_->read(after), false};
}

}  // namespace carrack::train
