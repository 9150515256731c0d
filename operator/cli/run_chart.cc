#include "operator/cli/run_chart.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <set>
#include <string_view>

#include "dataloader/text.h"
#include "operator/codec/fields.h"
#include "operator/core/printable.h"
#include "operator/error.h"
#include "trainer/history/metrics_file.h"

namespace carrack::control {
namespace {

using history::EvaluationPoint;
using history::Point;
using history::TrainingPoint;

constexpr int rows_min = 8, rows_max = 20;

struct Value {
  std::uint64_t step = 0;
  double value = 0;
};

// The values of one metric.
struct Series {
  std::vector<Value> training, evaluation;
  std::optional<Value> best;  // the value at the evaluation with the lowest loss, whatever the metric is
};

std::optional<double> value_of(const TrainingPoint& point, std::string_view metric) {
  if (metric == "loss") return point.loss;
  if (metric == "records_per_second") return point.records_per_second;
  return std::nullopt;
}

std::optional<double> value_of(const EvaluationPoint& point, std::string_view metric) {
  const auto found = std::ranges::find(point.metrics, metric, [](const auto& one) { return one.first; });
  return found == point.metrics.end() ? std::nullopt : std::optional(found->second);
}

Series series_of(const std::vector<Point>& points, std::string_view metric) {
  Series series;
  for (const Point& point : points) {
    const std::optional<double> value = std::visit([&](const auto& one) { return value_of(one, metric); }, point);
    if (!value) continue;
    const auto* evaluation = std::get_if<EvaluationPoint>(&point);
    const Value here{step_of(point), *value};
    (evaluation != nullptr ? series.evaluation : series.training).push_back(here);
    if (evaluation != nullptr && evaluation->is_best) series.best = here;
  }
  return series;
}

std::vector<std::string> metrics_in(const std::vector<Point>& points) {
  std::set<std::string> names;
  for (const Point& point : points) {
    if (const auto* evaluation = std::get_if<EvaluationPoint>(&point)) {
      for (const auto& [name, value] : evaluation->metrics) names.insert(name);
    } else {
      names.insert({"loss", "records_per_second"});
    }
  }
  return {names.begin(), names.end()};
}

// Breaks the text into lines of at most `width` characters: between words, and within a word only if it is longer.
std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (!lines.empty() && lines.back().size() + 1 + word.size() <= width) {
      lines.back() += " " + std::string(word);
      continue;
    }
    for (; !word.empty(); word.remove_prefix(std::min(width, word.size()))) lines.emplace_back(word.substr(0, width));
  }
  return lines;
}

std::string paragraph(std::string_view text, int width) {
  return data::joined(wrapped(text, static_cast<std::size_t>(width)), "\n") + "\n";
}

// Returns text such as "o  evaluation 0.21 at step 12,800", in lines of at most `width` characters. `sample`, such as
// "o ", shows how the chart draws these values, and is two characters wide.
std::string legend(const std::string& sample, const std::string& name, const Value& at, int width) {
  char number[32] = "not finite";
  if (std::isfinite(at.value)) std::snprintf(number, sizeof number, "%.4g", at.value);
  constexpr std::size_t sample_width = 3;
  const std::string text = name + " " + number + " at step " + data::counted(at.step);
  const std::vector<std::string> lines = wrapped(text, static_cast<std::size_t>(width) - sample_width);
  return sample + " " + data::joined(lines, "\n" + std::string(sample_width, ' ')) + "\n";
}

Curve curve_of(Curve::Kind kind, char mark, const std::vector<Value>& values) {
  Curve curve{.kind = kind, .mark = mark, .points = {}};
  for (const Value& one : values) curve.points.emplace_back(static_cast<double>(one.step), one.value);
  return curve;
}

// The chart without its legend. `lines` is empty if no value is finite.
struct Drawing {
  std::vector<std::string> lines;
  bool is_logarithmic = false;
};

Drawing drawing_of(const Series& series, const ChartOptions& options) {
  std::vector<Value> all = series.training;
  all.insert(all.end(), series.evaluation.begin(), series.evaluation.end());
  const auto [first, last] = std::ranges::minmax(all, {}, &Value::step);
  std::erase_if(all, [](const Value& one) { return !std::isfinite(one.value); });
  if (all.empty()) return {};
  const auto [low, high] = std::ranges::minmax(all, {}, &Value::value);
  std::vector<Curve> curves{curve_of(Curve::Kind::line, ' ', series.training),
                            curve_of(Curve::Kind::marks, 'o', series.evaluation)};
  if (series.best) curves.push_back(curve_of(Curve::Kind::marks, '*', {*series.best}));
  const Axis y = Axis::of_values(low.value, high.value);
  const ChartSize size{options.width, std::clamp(options.width / 5, rows_min, rows_max)};
  return {draw_chart(curves, Axis::of_whole_numbers(first.step, last.step), y, size, options.charset),
          y.is_logarithmic()};
}

std::size_t not_finite_in(const std::vector<Value>& values) {
  return static_cast<std::size_t>(
      std::ranges::count_if(values, [](const Value& one) { return !std::isfinite(one.value); }));
}

}  // namespace

std::string run_chart(const std::vector<Point>& recorded, const ChartOptions& options) {
  if (recorded.empty()) return "nothing is recorded yet\n";
  const std::vector<Point> points = without_replaced(recorded);
  const Series series = series_of(points, options.metric);
  if (series.training.empty() && series.evaluation.empty()) {
    throw Error(Blame::user, "nothing is recorded of '" + printable(options.metric) + "'; " +
                                 suggestion(options.metric, metrics_in(points)));
  }
  const Drawing drawing = drawing_of(series, options);
  std::string chart =
      paragraph(options.metric + " by step" + (drawing.is_logarithmic ? ", log scale" : ""), options.width);
  if (!series.training.empty()) {
    chart += legend(sample_of_line(options.charset), "training", series.training.back(), options.width);
  }
  if (!series.evaluation.empty()) chart += legend("o ", "evaluation", series.evaluation.back(), options.width);
  if (series.best)
    chart += legend("* ", options.metric == "loss" ? "best evaluation" : "evaluation with the lowest loss",
                    *series.best, options.width);
  if (const std::size_t lost = not_finite_in(series.training) + not_finite_in(series.evaluation); lost > 0) {
    chart += paragraph(data::counted(lost, "value") + (lost == 1 ? " is" : " are") + " not finite, so not drawn",
                       options.width);
  }
  for (const std::string& line : drawing.lines) chart += line + "\n";
  return chart;
}

}  // namespace carrack::control
