#include "trainer/history/metrics_file.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "dataloader/sources/json_scanner.h"
#include "dataloader/sources/number_text.h"
#include "dataloader/text.h"
#include "trainer/error.h"

namespace carrack::history {
namespace {

using data::JsonScanner;
using Metrics = std::vector<std::pair<std::string, double>>;

constexpr std::size_t name_size_max = 64;

std::string json_number(double number) {
  return std::isfinite(number) ? data::exact_text(number) : "null";
}

// Returns the beginning of a line, which points of both kinds have.
template <class AnyPoint>
std::string head_of(const AnyPoint& point) {
  return "{\"step\":" + std::to_string(point.step) + ",\"epoch\":" + std::to_string(point.epoch) +
         ",\"time\":" + json_number(point.unix_seconds);
}

std::string text(const TrainingPoint& point) {
  return head_of(point) + ",\"loss\":" + json_number(point.loss) +
         ",\"records_per_second\":" + json_number(point.records_per_second) + "}\n";
}

std::string text(const EvaluationPoint& point) {
  std::string line = head_of(point) + ",\"evaluation\":{";
  for (const auto& [name, value] : point.metrics) {
    if (line.back() != '{') line += ',';
    line += data::json_string(name) + ":" + json_number(value);
  }
  line += point.is_best ? "},\"best\":true" : "}";
  if (point.since_best > 0) line += ",\"since_best\":" + std::to_string(point.since_best);
  return line + "}\n";
}

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= name_size_max && std::ranges::all_of(name, [](char one) {
    return (one >= 'a' && one <= 'z') || (one >= '0' && one <= '9') || one == '_';
  });
}

// The known members of a line; nullopt for a member that the line does not have.
struct Line {
  std::optional<std::uint64_t> step, epoch, since_best;
  std::optional<double> time, loss, records_per_second;
  std::optional<Metrics> evaluation;
  bool is_best = false;
};

bool read(JsonScanner& json, std::optional<std::uint64_t>& value) {
  const auto number = json.number();
  value = number ? data::number_in<std::uint64_t>(*number) : std::nullopt;
  return value || json.fail("a whole number was expected");
}

bool read(JsonScanner& json, std::optional<double>& value) {
  if (json.take(std::string_view("null"))) {
    value = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  const auto number = json.number();
  value = number ? data::number_in<double>(*number) : std::nullopt;
  return value || json.fail("a number or null was expected");
}

bool read(JsonScanner& json, bool& value) {
  value = json.take(std::string_view("true"));
  return value || json.take(std::string_view("false")) || json.fail("true or false was expected");
}

bool read(JsonScanner& json, std::optional<Metrics>& metrics) {
  metrics.emplace();
  return read_object(json, [&](std::string_view name) {
    if (!is_name(name)) return json.skip();
    std::optional<double> value;
    if (!read(json, value)) return false;
    metrics->emplace_back(name, *value);
    return true;
  });
}

bool read(JsonScanner& json, Line& line) {
  const bool is_read = read_object(json, [&](std::string_view name) {
    if (name == "step") return read(json, line.step);
    if (name == "epoch") return read(json, line.epoch);
    if (name == "time") return read(json, line.time);
    if (name == "loss") return read(json, line.loss);
    if (name == "records_per_second") return read(json, line.records_per_second);
    if (name == "evaluation") return read(json, line.evaluation);
    if (name == "best") return read(json, line.is_best);
    if (name == "since_best") return read(json, line.since_best);
    return json.skip();
  });
  return is_read && (json.at_end() || json.fail("text follows the object"));
}

// Returns the point of a line, or a text that says what is wrong with the line.
std::variant<Point, std::string> point_in(std::string text) {
  JsonScanner json(text);
  Line line;
  if (!read(json, line)) return std::string(json.problem()) + " at byte " + std::to_string(json.problem_at());
  if (!line.step || !line.epoch || !line.time) return "a point has a step, an epoch and a time";
  if (line.evaluation) {
    return EvaluationPoint{
        *line.step, *line.epoch, *line.time, *std::move(line.evaluation), line.is_best, line.since_best.value_or(0)};
  }
  if (!line.loss || !line.records_per_second) return "a point has loss and records_per_second, or an evaluation";
  return TrainingPoint{*line.step, *line.epoch, *line.time, *line.loss, *line.records_per_second};
}

}  // namespace

std::string line_of(const Point& point) {
  return std::visit([](const auto& one) { return text(one); }, point);
}

std::vector<Point> points_in(std::string_view text) {
  if (text.size() > metrics_file_bytes_max) {
    throw train::Error(train::Blame::user, "the file has " + data::format_bytes(text.size()) + "; at most " +
                                               data::format_bytes(metrics_file_bytes_max) + " are read");
  }
  std::vector<Point> points;
  for (std::uint64_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (data::trimmed(line, " \t\r").empty()) continue;
    auto found = point_in(std::string(line));
    if (auto* point = std::get_if<Point>(&found)) {
      points.push_back(std::move(*point));
    } else if (end != line.npos) {  // a killed writer may leave a last line without its end, which is ignored
      throw train::Error(train::Blame::user, "line " + std::to_string(number) + ": " + std::get<std::string>(found));
    }
  }
  return points;
}

std::vector<Point> without_replaced(const std::vector<Point>& points) {
  // A job that continues from a commit repeats steps, and its new points replace earlier ones (metrics_file.h). The
  // loop goes backwards: `training` and `evaluation` are the smallest steps among the later points of each kind.
  // Replaced points do not change these minima: the replacement of such a point is also a later point, and its step is
  // not greater.
  constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  std::optional<std::uint64_t> training, evaluation;
  std::vector<Point> kept;
  for (auto point = points.rbegin(); point != points.rend(); ++point) {
    const std::uint64_t step = step_of(*point);
    if (std::holds_alternative<TrainingPoint>(*point)) {
      if (!training || step < *training) kept.push_back(*point);
      training = std::min(step, training.value_or(none));
    } else {
      if ((!evaluation || step < *evaluation) && (!training || step <= *training)) kept.push_back(*point);
      evaluation = std::min(step, evaluation.value_or(none));
    }
  }
  std::ranges::reverse(kept);
  return kept;
}

}  // namespace carrack::history
