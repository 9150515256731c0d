#include "trainer/evaluation/predict.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "dataloader/error.h"
#include "dataloader/execution/parallel.h"
#include "dataloader/pipeline/reading.h"
#include "dataloader/text.h"
#include "trainer/error.h"
#include "trainer/evaluation/inference.h"
#include "trainer/evaluation/prediction_text.h"
#include "trainer/loop/setup/columns.h"
#include "trainer/loop/storage/stored_model.h"

namespace carrack::train {
namespace {

std::string line_of(const Inference& inference, const data::Rows& rows, std::size_t row) {
  const auto size = static_cast<std::size_t>(inference.task().outputs());
  const data::Origin& origin = rows.origins.at(row);
  Prediction prediction{*origin.file, origin.record, inference.outputs().subspan(row * size, size)};
  if (!inference.losses().empty()) prediction.loss = inference.losses()[row];
  const std::optional<FeatureValues> targets = inference.targets();
  if (targets && inference.task().kind == ModelTask::Kind::values) {
    prediction.target = std::get<std::span<const float>>(part_of(*targets, row * size, size));
  }
  return text(inference.task(), prediction);
}

// Calls `print` with the line of each row, in order, while other threads make the next lines.
void print_lines(const Inference& inference, const data::Rows& rows, unsigned threads,
                 const std::function<void(std::string_view)>& print) {
  constexpr std::size_t piece = 64;  // the number of rows whose lines a thread makes at once
  const auto lines_of = [&](std::size_t number) {
    std::vector<std::string> lines;
    for (std::size_t row = number * piece; row < std::min((number + 1) * piece, rows.count); ++row)
      lines.push_back(line_of(inference, rows, row));
    return lines;
  };
  data::map_in_order((rows.count + piece - 1) / piece, threads, lines_of,
                     [&](std::size_t, const std::vector<std::string>& lines) { std::ranges::for_each(lines, print); });
}

// Returns a copy of one row.
data::Rows row_of(const data::Rows& rows, std::size_t row) {
  data::Rows one{.count = 1, .columns = {}, .origins = {rows.origins.at(row)}};
  for (const data::NamedColumn& column : rows.columns) {
    const auto part = [&](const auto& values) {
      const std::size_t size = values.size() / rows.count;
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row * size);
      return std::decay_t<decltype(values)>(begin, begin + static_cast<std::ptrdiff_t>(size));
    };
    data::NamedColumn own{column.name};
    if (const auto* floats = std::get_if<data::LargeVector<float>>(&column.values)) {
      own.values = part(*floats);
    } else {
      own.values = part(std::get<data::LargeVector<std::int64_t>>(column.values));
    }
    one.columns.push_back(std::move(own));
  }
  return one;
}

// Runs the model for all rows, and then calls `computed` with them. If the model throws, runs it for each row
// separately, so that the message can name the record. `computed` is then called with each row before that record.
void run(Inference& inference, const Floats& parameters, const data::Rows& rows,
         const std::function<void(const data::Rows&)>& computed) {
  try {
    inference.run(parameters, rows);
  } catch (const Error&) {
    for (std::size_t row = 0; row < rows.count; ++row) {
      const data::Rows one = row_of(rows, row);
      try {
        inference.run(parameters, one);
      } catch (const Error& error) {
        const data::Origin& origin = rows.origins.at(row);
        throw Error(error.blame(), *origin.file + ": record " + std::to_string(origin.record) + ": " + error.what());
      }
      computed(one);
    }
    throw;
  }
  computed(rows);
}

data::Dataset records_of(const std::vector<std::string>& files, const Inference& inference) {
  return data::Dataset::records(files)
      .map("features", columns_of(inference.features(), 0))
      .batch(static_cast<std::uint64_t>(inference.rows_max()));
}

data::ReadingOptions reading_options(const PredictLimits& limits, OnDamage on_damage,
                                     std::function<void()> check_cancelled) {
  return {.cpus = limits.cpus,
          .memory = limits.memory / 4,
          .on_damage = data_on_damage(on_damage),
          .check_cancelled = std::move(check_cancelled)};
}

// Throws Error if records were read and all of them were left out.
void require_any_used(const data::Reading& reading, std::uint64_t used) {
  if (used > 0 || reading.lost() == 0) return;
  throw Error(Blame::user, "none of " + data::counted(reading.lost(), "record") +
                               " can be used, the first: " + data::text(reading.first_lost().front()));
}

// Returns a hint that names --no-loss if the message is about a missing feature that only the loss reads; otherwise an
// empty text.
std::string hint_for(const std::string& message, const PredictRequest& request, const Config& config) {
  if (request.losses == Losses::left_out) return "";
  const std::vector<Feature> always = inference_graph(config.model, config.data, Losses::left_out).features;
  for (const Feature& feature : inference_graph(config.model, config.data, Losses::computed).features) {
    const bool is_missing = message.find("there is no feature \"" + feature.name + "\"") != message.npos;
    const bool is_of_loss = std::ranges::find(always, feature.name, &Feature::name) == always.end();
    if (is_missing && is_of_loss) return ", which the loss reads; --no-loss leaves the loss out";
  }
  return "";
}

}  // namespace

MetricValues predict(const StoredModel& model, const PredictRequest& request, const data::Storages& storages,
                     const PredictLimits& limits) {
  Inference inference(model.config, request.losses, limits.memory / 2, static_cast<int>(limits.cpus));
  Metrics metrics(inference.task());
  MetricValues values;
  const auto print = [&](const data::Rows& rows) {
    if (request.print) print_lines(inference, rows, limits.cpus, request.print);
  };
  try {
    data::Reading reading(records_of(request.files, inference), storages,
                          reading_options(limits, request.on_damage, request.check_cancelled));
    while (const std::optional<data::Rows> rows = reading.next()) {
      request.check_cancelled();
      run(inference, model.parameters, *rows, print);
      values.records += rows->count;
      if (request.losses == Losses::computed) metrics.add(inference.outputs(), inference.targets(), inference.losses());
    }
    require_any_used(reading, values.records);
    if (reading.lost() > 0) request.skipped(reading.lost(), reading.first_lost().front());
  } catch (const data::Damaged& damaged) {
    const std::string message = data::text(damaged.why());
    throw Error(Blame::user, message + hint_for(message, request, model.config));
  } catch (const data::Refused& error) {
    throw Error(Blame::user, error.what() + hint_for(error.what(), request, model.config));
  }
  return request.losses == Losses::computed ? metrics.values() : values;
}

void require_records(const Config& config, const std::vector<std::string>& files, const data::Storages& storages,
                     const PredictLimits& limits, const std::function<void()>& goes_on) {
  const Inference inference(config, Losses::computed, limits.memory / 2, static_cast<int>(limits.cpus));
  data::ReadingOptions options = reading_options(limits, config.data.on_damage, goes_on);
  options.indexing.on_progress = [&goes_on](const data::IndexingProgress&) { goes_on(); };
  options.indexing.on_look_up = goes_on;
  try {
    data::Reading reading(records_of(files, inference), storages, options);
    if (reading.next()) return;
    require_any_used(reading, 0);
    throw Error(Blame::user, "there are no records");
  } catch (const data::Refused& error) {
    throw Error(Blame::user, error.what());
  }
}

}  // namespace carrack::train
