#include "trainer/loop/roles/run_history.h"

#include <algorithm>
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

constexpr auto first_interval = std::chrono::seconds(2);
constexpr int intervals_per_run = 20;  // so a run of a week has about 200 event files

std::string url_of_lines(const std::string& folder) {
  return data::in_folder(folder, std::string(history::metrics_file_name));
}

void write_file(data::Storage& storage, const std::string& url, std::string_view text) {
  const CrashPoint point("history.write");
  const auto file = storage.create(url, {});
  file->write(std::as_bytes(std::span(text)));
  file->commit();
}

// What earlier starts have recorded and what still holds if the job goes on from this step.
std::vector<history::Point> recorded_before(const data::Storages& storages, const std::string& url,
                                            std::uint64_t step) {
  const auto bytes =
      data::read_whole(storages.for_url(url), url, {.bytes_max = history::metrics_file_bytes_max, .hint = ""});
  if (!bytes) return {};
  std::vector<history::Point> points =
      history::without_replaced(history::points_in({reinterpret_cast<const char*>(bytes->data()), bytes->size()}));
  std::erase_if(points, [&](const history::Point& point) { return history::step_of(point) > step; });
  return points;
}

}  // namespace

RunHistory::RunHistory(Settings settings, const RoleContext& context, Inbox& inbox)
    : settings_(std::move(settings)),
      context_(context),
      last_step_(settings_.step),
      last_time_(context_.unix_seconds()),
      background_(inbox) {
  const std::string url = url_of_lines(settings_.folder);
  try {
    for (const history::Point& point : recorded_before(context_.storages, url, settings_.step)) {
      lines_ += history::line_of(point);
      count(point);
    }
  } catch (const std::exception& error) {
    is_refused_ = true;
    context_.log("the history of the job is not recorded: " + url + ": " + error.what());
  }
  if (settings_.step > 0) sampling_.recorded(settings_.step, last_time_);
}

void RunHistory::add(std::uint64_t step, const LossTotals& losses) {
  if (step == last_step_) return;
  if (step < last_step_) {  // Training goes on from a commit again, as a parameter server was lost.
    last_step_ = step;
    last_losses_ = losses;
    return;
  }
  if (const double now = context_.unix_seconds(); sampling_.is_due(step, now)) record(step, losses, now);
}

void RunHistory::add(const Evaluation& evaluation) {
  std::vector<std::pair<std::string, double>> metrics = named(evaluation.values);
  metrics.emplace_back("records", static_cast<double>(evaluation.values.records));
  append(history::EvaluationPoint{.step = evaluation.step,
                                  .epoch = epoch_of(evaluation.step),
                                  .unix_seconds = context_.unix_seconds(),
                                  .metrics = std::move(metrics),
                                  .is_best = evaluation.is_best});
}

void RunHistory::write_if_due() {
  const Clock::time_point now = Clock::now();
  const auto interval = std::max<Clock::duration>(first_interval, (now - began_) / intervals_per_run);
  if (!new_.empty() && !is_writing_ && now >= written_ + interval) write();
}

void RunHistory::finish(std::uint64_t step, const LossTotals& losses) {
  if (is_writing_ || std::exchange(is_finished_, true)) return;
  if (step > last_step_) record(step, losses, context_.unix_seconds());
  if (!new_.empty()) write();
}

// The epoch of the last update.
std::uint64_t RunHistory::epoch_of(std::uint64_t step) const {
  if (settings_.batches_per_epoch == 0 || step == 0) return 0;
  return (step - 1) / settings_.batches_per_epoch;
}

void RunHistory::record(std::uint64_t step, const LossTotals& losses, double now) {
  const std::uint64_t records = losses.records - last_losses_.records;
  if (records == 0) return;
  const double seconds = std::max(now - last_time_, 1e-9);
  append(history::TrainingPoint{
      .step = step,
      .epoch = epoch_of(step),
      .unix_seconds = now,
      .loss = (losses.sum - last_losses_.sum) / static_cast<double>(records),
      .records_per_second = static_cast<double>((step - last_step_) * settings_.batch) / seconds});
  sampling_.recorded(step, now);
  last_step_ = step;
  last_time_ = now;
  last_losses_ = losses;
}

// A coordinator that starts again evaluates the last commit again.
void RunHistory::count(const history::Point& point) {
  const auto* evaluation = std::get_if<history::EvaluationPoint>(&point);
  if (evaluation == nullptr || (evaluated_ && evaluation->step <= *evaluated_)) return;
  evaluated_ = evaluation->step;
  evaluations_since_best_ = evaluation->is_best ? 0 : evaluations_since_best_ + 1;
}

void RunHistory::append(const history::Point& point) {
  count(point);
  if (is_refused_) return;
  lines_ += history::line_of(point);
  new_.push_back(point);
}

void RunHistory::write() {
  is_writing_ = true;
  written_ = Clock::now();
  background_.run([this, lines = lines_, points = std::exchange(new_, {})]() -> std::function<void()> {
    std::optional<std::string> refusal;
    try {
      data::Storage& storage = context_.storages.for_url(settings_.folder);
      write_file(storage, url_of_lines(settings_.folder), lines);
      const double now = context_.unix_seconds();
      std::string events = history::event_file_start(now);
      for (const history::Point& point : points) events += history::event_of(point);
      const std::string name = history::event_file_name(now, settings_.start);
      write_file(storage, data::in_folder(data::in_folder(settings_.folder, "tensorboard"), name), events);
    } catch (const std::exception& error) {
      refusal = error.what();
    }
    return [this, refusal] {
      is_writing_ = false;
      if (refusal && !std::exchange(is_logged_, true)) {
        context_.log("the history of the job is not written: " + *refusal + "; training goes on");
      }
    };
  });
}

}  // namespace carrack::train
