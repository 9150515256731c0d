#include "trainer/loop/data/statistics.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "dataloader/text.h"
#include "trainer/checkpoint/folder.h"
#include "trainer/error.h"
#include "trainer/loop/data/bad_record.h"
#include "trainer/loop/data/column_moments.h"
#include "trainer/loop/data/in_order.h"
#include "trainer/loop/data/skipped_log.h"
#include "trainer/loop/setup/columns.h"
#include "trainer/loop/setup/values_of_data.h"
#include "trainer/planning/memory_need.h"

namespace carrack::train {
namespace {

using Clock = std::chrono::steady_clock;

// The limits of the batches in which the data is read, in bytes and in records. A batch has at least one record.
constexpr double bytes_at_once = 4 << 20;
constexpr double records_at_once = 4096;
constexpr auto log_every = std::chrono::seconds(10);

// The mean and variance of each column, as far as records were added, by the name of the feature.
using Moments = std::map<std::string, ColumnMoments>;

Moments moments_of(const std::vector<Standardized>& standardized) {
  Moments all;
  for (const Standardized& one : standardized) {
    all.try_emplace(one.feature, ColumnMoments(static_cast<std::size_t>(one.columns)));
  }
  return all;
}

// Returns a copy of the setup that reads only these features. Decoding the others would take time for nothing.
Setup reading_only(const Moments& features, const Setup& setup, std::int64_t seed) {
  Setup own = setup;
  std::erase_if(own.model.features, [&](const Feature& one) { return !features.contains(one.name); });
  own.columns = columns_of(own.model.features, seed);
  return own;
}

std::int64_t batch_of(const ModelGraph& model) {
  return static_cast<std::int64_t>(std::clamp(bytes_at_once / bytes_of_row(model), 1.0, records_at_once));
}

[[noreturn]] void refuse(const data::Rows& rows, const data::NamedColumn& column, std::span<const float> values,
                         std::size_t bad, std::size_t columns, const data::Storages& storages) {
  const std::size_t row = bad / (values.size() / rows.count);
  const data::Origin& origin = rows.origins.at(row);
  const std::string what = std::isnan(values[bad]) ? "NaN" : "infinite";
  throw Error(Blame::user, "spec.data: " + *origin.file + ": record " + std::to_string(origin.record) + " at byte " +
                               std::to_string(origin.offset) + ": feature \"" + column.name + "\" is " + what +
                               column_text(rows, row, column.name, bad % columns, columns, storages) +
                               ", so it has no mean to standardize by; mend the record, or leave out such records by "
                               "the stage filter; `carrack data stats` counts them");
}

// Adds all records of a batch to the moments, always in the same order, so that the result has the same bits in each
// run. Throws if a value is infinite or NaN, because the column then has no mean.
void add(Moments& moments, const std::vector<Standardized>& standardized, const data::Rows& rows,
         const data::Storages& storages) {
  if (rows.count == 0) return;  // a batch has no columns if all its records are left out
  for (auto& [feature, one] : moments) {
    const data::NamedColumn& column = rows.column(feature);
    const std::span<const float> values(std::get<data::LargeVector<float>>(column.values));
    const auto bad = std::ranges::find_if(values, [](float value) { return !std::isfinite(value); });
    if (bad != values.end()) {
      const auto& of = *std::ranges::find(standardized, feature, &Standardized::feature);
      refuse(rows, column, values, static_cast<std::size_t>(bad - values.begin()), static_cast<std::size_t>(of.columns),
             storages);
    }
    one.add(values);
  }
}

// Thrown to end the reading of the data early. The process then ends as `exit` says.
struct EndsEarly : std::exception {
  explicit EndsEarly(Exit by) : exit(by) {}
  Exit exit;
};

// Passes the progress to `show` each time, and logs it every 10 seconds.
class Report {
 public:
  Report(const std::function<void(const RecordsRead&)>& show, const RoleContext& context)
      : show_(show), log_(context.log) {}

  void at(const RecordsRead& read) {
    show_(read);
    if (Clock::now() < next_log_) return;
    next_log_ = Clock::now() + log_every;
    log_("mean and deviation of the data: " + data::counted(read.records) + " of " + data::counted(read.records_total) +
         " records");
  }

 private:
  const std::function<void(const RecordsRead&)>& show_;
  const std::function<void(const std::string&)>& log_;
  Clock::time_point next_log_ = Clock::now();
};

}  // namespace

checkpoint::Statistics statistics_of(const Launch& launch, const Setup& setup, const RoleContext& context,
                                     const std::function<void(const RecordsRead&)>& show) {
  const std::vector<Standardized>& standardized = setup.model.standardized;
  checkpoint::Statistics statistics;
  if (standardized.empty()) return statistics;
  Moments moments = moments_of(standardized);
  const Setup own = reading_only(moments, setup, launch.config.training.seed);
  const std::unique_ptr<Input> input =
      open_in_order(launch, own, context, batch_of(own.model), Shuffles::left_out_if_harmless);
  RecordsRead read{.records_total = input->order().records()};
  std::uint64_t used = 0;
  Report report(show, context);
  SkippedLog skipped(context.log);
  for (std::uint64_t batch = 0; batch < input->order().steps_in_epoch(); ++batch) {
    report.at(read);
    context.goes_on();
    const data::Batch records = input->read({.batch = batch, .lanes = {0, 1}});
    skipped.add(records.rows.lost);
    add(moments, standardized, records.rows, context.storages);
    read.records += records.rows.count + records.rows.lost.size();
    used += records.rows.count;
  }
  if (used == 0) throw Error(Blame::user, "spec.data: no record can be used, so there is no mean to standardize by");
  for (const Standardized& one : standardized) {
    statistics.layers.push_back({one.layer, one.feature, moments.at(one.feature).result()});
  }
  return statistics;
}

std::optional<Exit> provide_statistics(const Launch& launch, const Setup& setup, const RoleContext& context,
                                       const Order& order, CommitStore& store,
                                       const std::function<void(const RecordsRead&)>& show) {
  const bool loads_a_commit = !store.last_commit().manifest.empty();
  if (setup.model.standardized.empty() || loads_a_commit) return std::nullopt;
  const std::string& url = launch.config.checkpoint.folder;
  checkpoint::CheckpointFolder folder(context.storages.for_url(url), url);
  const std::optional<checkpoint::Statistics> found = folder.statistics();
  const std::string of_this_job = order_of_statistics(order.text, setup.model, launch.config.training.seed);
  if (found && found->order == of_this_job && matches_model(*found, setup.model)) return std::nullopt;
  checkpoint::Statistics computed;
  Clock::time_point next_check = Clock::now();
  try {
    computed = statistics_of(launch, setup, context, [&](const RecordsRead& read) {
      if (context.shutdown_requested()) throw EndsEarly(Exit::drained);
      if (Clock::now() >= next_check) {
        if (!store.still_claimed()) throw EndsEarly(Exit::superseded);
        next_check = Clock::now() + check_head_every;
      }
      show(read);
    });
  } catch (const EndsEarly& ended) {
    return ended.exit;
  }
  computed.order = of_this_job;
  if (!store.still_claimed()) return Exit::superseded;
  if (!folder.write_statistics(computed, found.has_value())) {
    throw Error(Blame::platform, "another start of this coordinator has written the statistics of the data meanwhile");
  }
  return std::nullopt;
}

}  // namespace carrack::train
