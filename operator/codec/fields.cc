#include "operator/codec/fields.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "operator/codec/keras_names.h"
#include "trainer/launch/edit_distance.h"

namespace carrack::control {
namespace {

void mismatch(const Node& node, const FieldPath& path, std::string_view needed) {
  path.report(node, "is " + std::string(describe_type(node)) + "; must be " + std::string(needed));
}

}  // namespace

std::optional<std::int64_t> whole_number(const Node& node) {
  constexpr double exact_below = 9'007'199'254'740'992;  // 2^53; from here on a double skips whole numbers
  if (const auto* whole = std::get_if<std::int64_t>(&node.value)) return *whole;
  const auto* number = std::get_if<double>(&node.value);
  if (!number || *number != std::trunc(*number) || std::abs(*number) >= exact_below) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

std::optional<Time> parse_time(const std::string& text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, read = 0;
  const int fields =
      std::sscanf(text.c_str(), "%4d-%2d-%2dT%2d:%2d:%2dZ%n", &year, &month, &day, &hour, &minute, &second, &read);
  if (fields != 6 || read != 20 || text.size() != 20) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  const bool fits = hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60;
  if (!date.ok() || !fits) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) + seconds(second);
}

void FieldPath::report(const Node& node, const std::string& text) const {
  problems->push_back({path, text + place_of(node)});
}

std::string list_known(const std::vector<std::string>& known) {
  std::string all = "there are";
  for (const std::string& name : known) all += (&name == &known.front() ? " " : ", ") + name;
  return known.empty() ? "nothing may stand here" : all;
}

std::string suggestion(std::string_view name, const std::vector<std::string>& known) {
  const auto is_closer = [&](const auto& left, const auto& right) {
    return train::edit_distance(std::string(name), left) < train::edit_distance(std::string(name), right);
  };
  const auto best = std::min_element(known.begin(), known.end(), is_closer);
  const bool is_close = best != known.end() && train::edit_distance(std::string(name), *best) <= (name.size() + 1) / 3;
  return is_close ? "did you mean '" + *best + "'?" : list_known(known);
}

void report_unknown_word(const Node& node, const FieldPath& path, const std::string& text,
                         const std::vector<std::string>& known) {
  const std::string of_keras = suggestion_for_keras_name(text, known), all = list_known(known);
  const std::string hint = of_keras.empty() ? suggestion(text, known) : of_keras;
  path.report(node, "'" + text + "' is unknown; " + all + (hint == all ? "" : "; " + hint));
}

void read(const Node& node, const FieldPath& path, bool& value) {
  if (const bool* found = std::get_if<bool>(&node.value)) {
    value = *found;
  } else {
    mismatch(node, path,
             std::holds_alternative<std::string>(node.value) ? "true or false, without quotes" : "true or false");
  }
}

void read(const Node& node, const FieldPath& path, double& value) {
  if (const double* found = std::get_if<double>(&node.value)) {
    value = *found;
  } else if (const auto* whole = std::get_if<std::int64_t>(&node.value)) {
    value = static_cast<double>(*whole);
  } else {
    mismatch(node, path, "a number");
  }
}

void read(const Node& node, const FieldPath& path, std::string& value) {
  if (const auto* found = std::get_if<std::string>(&node.value)) {
    value = *found;
  } else {
    mismatch(node, path, "text");
  }
}

void read(const Node& node, const FieldPath& path, train::Choice& value) {
  std::string text;
  read(node, path, text);
  const bool is_text = std::holds_alternative<std::string>(node.value);  // If not, read() has reported a problem.
  if (value.choose(text) || !is_text) return;
  report_unknown_word(node, path, text, {value.words().begin(), value.words().end()});
}

void read(const Node& node, const FieldPath& path, seconds& value) {
  constexpr std::int64_t century = 3'155'760'000;
  if (const auto whole = read_whole(node, path, 0, century)) value = seconds(*whole);
}

void read(const Node& node, const FieldPath& path, Time& value) {
  std::string text;
  read(node, path, text);
  if (const auto time = parse_time(text)) {
    value = *time;
  } else if (std::holds_alternative<std::string>(node.value)) {
    path.report(node, "'" + text + "' is not a time; write 2026-01-31T23:59:58Z");
  }
}

std::optional<std::int64_t> read_whole(const Node& node, const FieldPath& path, std::int64_t min, std::int64_t max) {
  const std::optional<std::int64_t> whole = whole_number(node);
  if (std::holds_alternative<double>(node.value) && !whole) {
    path.report(node, "is " + to_json(node) + "; must be a whole number");
  } else if (!whole) {
    mismatch(node, path, "a whole number");
  } else if (*whole < min || *whole > max) {
    path.report(
        node, "is " + std::to_string(*whole) + "; must be from " + std::to_string(min) + " to " + std::to_string(max));
  } else {
    return *whole;
  }
  return std::nullopt;
}

void write(Node& node, bool value) {
  node.value = value;
}
void write(Node& node, double value) {
  node.value = value;
}
void write(Node& node, const std::string& value) {
  node.value = value;
}
void write(Node& node, const train::Choice& value) {
  node.value = std::string(value.text());
}
void write(Node& node, seconds value) {
  node.value = static_cast<std::int64_t>(value.count());
}

void write(Node& node, Time value) {
  const auto days = std::chrono::floor<std::chrono::days>(value);
  const std::chrono::year_month_day date(days);
  const std::chrono::hh_mm_ss<seconds> time(value - days);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                static_cast<int>(time.seconds().count()));
  node.value = std::string(text.data());
}

FieldReader::FieldReader(const Node& node, FieldPath path)
    : node_(&node), path_(std::move(path)), is_map_(std::holds_alternative<Node::Map>(node.value)) {
  if (!is_map_) mismatch(node, path_, "an object");
}

const Node* FieldReader::find(std::string_view name) const {
  const auto* map = std::get_if<Node::Map>(&node_->value);
  if (!map) return nullptr;
  const auto found = std::find_if(map->begin(), map->end(), [&](const Entry& entry) { return entry.name == name; });
  return found == map->end() ? nullptr : &found->node;
}

void FieldReader::require_one(std::string_view what, std::size_t found, const std::vector<std::string>& words) const {
  const auto* map = std::get_if<Node::Map>(&node_->value);
  // If the node has only other fields, end() reports each of them as unknown, so there is no second problem here.
  const bool is_left_to_end = found == 0 && map && !map->empty() && !path_.ignores_unknown;
  if (!map || found == 1 || is_left_to_end) return;
  const std::string one(what);
  path_.report(*node_, found == 0 ? "is not a " + one + "; " + list_known(words)
                                  : "is more than one " + one + "; write each as an entry of its own");
}

void FieldReader::report(std::string_view name, const std::string& text) const {
  if (const Node* node = find(name)) path_.below(name).report(*node, text);
}

void FieldReader::refuse_empty_list(std::string_view name) const {
  const Node* node = find(name);
  const auto* list = node ? std::get_if<Node::List>(&node->value) : nullptr;
  if (list && list->empty()) path_.below(name).report(*node, "is an empty list; leave it out");
}

void FieldReader::skip_rest() {
  const auto* map = std::get_if<Node::Map>(&node_->value);
  if (!map) return;
  for (const Entry& entry : *map) known_.push_back(entry.name);
}

void FieldReader::end() const {
  const auto* map = std::get_if<Node::Map>(&node_->value);
  if (!map || path_.ignores_unknown) return;
  for (const Entry& entry : *map) {
    if (std::find(known_.begin(), known_.end(), entry.name) != known_.end()) continue;
    const auto refused = std::ranges::find(refused_, entry.name, &std::pair<std::string, std::string>::first);
    path_.below(entry.name)
        .report(entry.node,
                refused != refused_.end() ? refused->second : "is unknown; " + suggestion(entry.name, known_));
  }
}

}  // namespace carrack::control
