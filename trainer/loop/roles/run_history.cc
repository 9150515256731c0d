#include "trainer/loop/roles/run_history.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <span>
#include <string_view>
#include <utility>

#include "dataloader/storage/url.h"
#include "trainer/history/events.h"
#include "trainer/history/metrics_file.h"
#include "trainer/points.h"

namespace carrack::train {
namespace {

// The time between two writes is a share of the job's age, within these limits. Each write makes a new event file, so
// the number of files stays small: about 1,000 after a week.
constexpr double interval_min_seconds = 2, interval_max_seconds = 600;
constexpr double intervals_per_job = 20;

std::string url_of_lines(const std::string& folder) {
  return data::in_folder(folder, std::string(history::metrics_file_name));
}

void write_file(data::Storage& storage, const std::string& url, std::string_view text) {
  const CrashPoint point("history.write");
  const auto file = storage.create(url, {});
  file->write(std::as_bytes(std::span(text)));
  file->commit();
}

// Returns what earlier processes have recorded, without points of steps that the job computed again after a restart.
std::vector<history::Point> recorded_before(const data::Storages& storages, const std::string& url) {
  const auto bytes =
      data::read_whole(storages.for_url(url), url, {.bytes_max = history::metrics_file_bytes_max, .hint = ""});
  if (!bytes) return {};
  return history::without_replaced(history::points_in({reinterpret_cast<const char*>(bytes->data()), bytes->size()}));
}

}  // namespace

RunHistory::RunHistory(Settings settings, const RoleContext& context, Inbox& inbox, Watchdog& watchdog,
                       std::function<bool()> is_ours)
    : settings_(std::move(settings)),
      context_(context),
      is_ours_(std::move(is_ours)),
      job_began_(context_.unix_seconds()),
      written_(job_began_),
      watchdog_(watchdog),
      background_(inbox) {
  const std::string url = url_of_lines(settings_.folder);
  if (settings_.is_new) {
    events_ += history::event_of_restart(1, job_began_);
    is_due_ = true;  // after the first commit another start would take the history of the replaced job for its own
  }
  try {
    if (!settings_.is_new)
      for (const history::Point& point : recorded_before(context_.storages, url)) {
        lines_ += history::line_of(point);
        if (const auto* evaluation = std::get_if<history::EvaluationPoint>(&point)) {
          evaluated_ = evaluation->step;
          evaluations_since_best_ = static_cast<std::int64_t>(evaluation->since_best);
        } else {
          recorded_ = history::step_of(point);
        }
        job_began_ = std::min(job_began_, std::visit([](const auto& one) { return one.unix_seconds; }, point));
      }
  } catch (const std::exception& error) {
    is_refused_ = true;
    context_.log("the history of the job is not recorded: " + url + ": " + error.what());
  }
  // If an earlier start has recorded steps, the servers may still hold them; then add() finds out where training is.
  if (settings_.step == 0 && recorded_ == 0) begin_at(0, {});
}

void RunHistory::best_is_of(std::uint64_t step) {
  if (evaluated_ && *evaluated_ > step) return;
  evaluated_ = step;
  evaluations_since_best_ = 0;
}

// Starts to record at this step. Recorded points of later steps are not valid any more, because the job computes these
// steps again.
void RunHistory::begin_at(std::uint64_t step, const LossTotals& losses) {
  last_step_ = step;
  last_time_ = context_.unix_seconds();
  last_losses_ = losses;
  if (step > 0) sampling_.recorded(step, last_time_);
  if (step > 0) evaluation_sampling_.recorded(step, last_time_);
  if (step < recorded_ && !is_refused_) events_ += history::event_of_restart(step + 1, last_time_);
  recorded_ = std::min(recorded_, step);
}

void RunHistory::add(std::uint64_t step, const LossTotals& losses) {
  // At the first call the step is not known yet: the servers may have more steps than the last commit. A lower step
  // than before means that they went back to the last commit, because one of them was lost.
  if (!last_step_ || step < *last_step_) return begin_at(step, losses);
  if (step == *last_step_) return;
  if (const double now = context_.unix_seconds(); sampling_.is_due(step, now)) record(step, losses, now);
}

void RunHistory::add(const Evaluation& evaluation) {
  // A coordinator that starts again evaluates the last commit again, which must not count twice.
  const bool is_new = !evaluated_ || evaluation.step > *evaluated_;
  if (is_new) evaluated_ = evaluation.step;
  if (evaluation.is_best) {
    evaluations_since_best_ = 0;
  } else if (is_new && std::isfinite(evaluation.values.loss)) {
    ++evaluations_since_best_;
  }
  history::EvaluationPoint point{.step = evaluation.step,
                                 .epoch = epoch_of(evaluation.step),
                                 .unix_seconds = context_.unix_seconds(),
                                 .metrics = named(evaluation.values),
                                 .is_best = evaluation.is_best,
                                 .since_best = static_cast<std::uint64_t>(evaluations_since_best_)};
  point.metrics.emplace_back("records", static_cast<double>(evaluation.values.records));
  // Of the evaluations that are not due, only the best one and the last one are recorded.
  if (point.is_best) {
    held_.clear();
  } else if (!held_.empty() && !held_.back().is_best) {
    held_.pop_back();
  }
  const bool is_due = evaluation_sampling_.is_due(point.step, point.unix_seconds);
  held_.push_back(std::move(point));
  if (is_due) append_held();
}

void RunHistory::append_held() {
  for (const history::EvaluationPoint& point : std::exchange(held_, {})) {
    evaluation_sampling_.recorded(point.step, point.unix_seconds);
    append(point);
  }
}

void RunHistory::write_if_due() {
  if (writes_under_way_ > 0) return;
  const double now = context_.unix_seconds();
  const double interval =
      std::clamp((now - job_began_) / intervals_per_job, interval_min_seconds, interval_max_seconds);
  if (!is_due_ && now >= written_ && now < written_ + interval) return;  // if the clock was set back, write immediately
  is_due_ = false;
  flush();
}

void RunHistory::finish(std::uint64_t step, const LossTotals& losses) {
  if (last_step_ && step > *last_step_) record(step, losses, context_.unix_seconds());
  flush();
}

void RunHistory::flush() {
  append_held();
  if (!events_.empty()) write();
}

// Returns the epoch, from 0, of update number `step`, from 1. Returns 0 if the length of an epoch is not known.
std::uint64_t RunHistory::epoch_of(std::uint64_t step) const {
  if (settings_.batches_per_epoch == 0 || step == 0) return 0;
  return (step - 1) / settings_.batches_per_epoch;
}

// Records a point with the mean loss and the speed since the last point. Without records there is no mean loss.
void RunHistory::record(std::uint64_t step, const LossTotals& losses, double now) {
  const std::uint64_t records = losses.records - last_losses_.records;
  if (records == 0) return;
  const double seconds = std::max(now - last_time_, 1e-9);
  append(history::TrainingPoint{
      .step = step,
      .epoch = epoch_of(step),
      .unix_seconds = now,
      .loss = (losses.sum - last_losses_.sum) / static_cast<double>(records),
      .records_per_second = static_cast<double>((step - *last_step_) * settings_.batch) / seconds});
  recorded_ = step;
  sampling_.recorded(step, now);
  last_step_ = step;
  last_time_ = now;
  last_losses_ = losses;
}

void RunHistory::append(const history::Point& point) {
  if (is_refused_) return;
  lines_ += history::line_of(point);
  events_ += history::event_of(point);
}

void RunHistory::write() {
  ++writes_under_way_;
  written_ = context_.unix_seconds();
  char number[16];
  std::snprintf(number, sizeof number, "-%04d", ++files_);  // keeps names different within one second
  const std::string name = history::event_file_name(written_, settings_.start + number);
  const std::string events = history::event_file_start(written_) + std::exchange(events_, "");
  background_.run([this, lines = lines_, name, events]() -> std::function<void()> {
    const Watchdog::Work work(watchdog_, limit_of_small_files("writing the history to " + settings_.folder));
    std::optional<std::string> refusal;
    try {
      if (is_ours_()) {
        data::Storage& storage = context_.storages.for_url(settings_.folder);
        write_file(storage, url_of_lines(settings_.folder), lines);
        write_file(storage, data::in_folder(data::in_folder(settings_.folder, "tensorboard"), name), events);
      }
    } catch (const std::exception& error) {
      refusal = error.what();
    }
    return [this, refusal] { written(refusal); };
  });
}

void RunHistory::written(const std::optional<std::string>& refusal) {
  --writes_under_way_;
  if (!refusal || std::exchange(is_logged_, true)) return;
  context_.log("the history of the job is not written: " + *refusal + "; training goes on");
}

}  // namespace carrack::train
