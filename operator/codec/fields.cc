#include "operator/codec/fields.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace carrack::control {
namespace {

std::size_t distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  for (std::size_t at = 0; at <= right.size(); ++at) row[at] = at;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t replaced = diagonal + (left[i - 1] == right[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

void mismatch(const Node& node, const Place& place, std::string_view needed) {
  place.complain(node, "is " + std::string(shape_of(node)) + "; must be " + std::string(needed));
}

// 2026-01-31T23:59:58Z
std::optional<Time> time_in(const std::string& text) {
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

// 1e3 and 64.0 are whole numbers to Kubernetes too.
std::optional<std::int64_t> whole_in(const Node& node) {
  constexpr double exact_below = 9'007'199'254'740'992;  // 2^53
  if (const auto* whole = std::get_if<std::int64_t>(&node.value)) return *whole;
  const auto* number = std::get_if<double>(&node.value);
  if (!number || *number != std::trunc(*number) || std::abs(*number) >= exact_below) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

}  // namespace

void Place::complain(const Node& node, const std::string& text) const {
  problems->push_back({path, text + (node.line > 0 ? " (line " + std::to_string(node.line) + ")" : "")});
}

std::string_view shape_of(const Node& node) {
  constexpr std::array<std::string_view, 7> shapes = {"empty", "true or false", "a whole number", "a number",
                                                      "text",  "a list",        "an object"};
  return shapes[node.value.index()];
}

std::string nearest(std::string_view name, const std::vector<std::string>& known) {
  const auto closer = [&](const auto& left, const auto& right) { return distance(name, left) < distance(name, right); };
  const auto best = std::min_element(known.begin(), known.end(), closer);
  if (best != known.end() && distance(name, *best) <= name.size() / 2) {
    return "did you mean '" + *best + "'?";
  }
  std::string all = "there are";
  for (const std::string& other : known) all += (&other == &known.front() ? " " : ", ") + other;
  return known.empty() ? "nothing may stand here" : all;
}

void read(const Node& node, const Place& place, bool& value) {
  if (const bool* found = std::get_if<bool>(&node.value)) {
    value = *found;
  } else {
    mismatch(node, place,
             std::holds_alternative<std::string>(node.value) ? "true or false, without quotes" : "true or false");
  }
}

void read(const Node& node, const Place& place, double& value) {
  if (const double* found = std::get_if<double>(&node.value)) {
    value = *found;
  } else if (const auto* whole = std::get_if<std::int64_t>(&node.value)) {
    value = static_cast<double>(*whole);
  } else {
    mismatch(node, place, "a number");
  }
}

void read(const Node& node, const Place& place, std::string& value) {
  if (const auto* found = std::get_if<std::string>(&node.value)) {
    value = *found;
  } else {
    mismatch(node, place, "text");
  }
}

void read(const Node& node, const Place& place, seconds& value) {
  constexpr std::int64_t century = 3'155'760'000;
  if (const auto whole = read_whole(node, place, 0, century)) value = seconds(*whole);
}

void read(const Node& node, const Place& place, Time& value) {
  std::string text;
  read(node, place, text);
  if (const auto time = time_in(text)) {
    value = *time;
  } else if (std::holds_alternative<std::string>(node.value)) {
    place.complain(node, "'" + text + "' is no time; write 2026-01-31T23:59:58Z");
  }
}

std::optional<std::int64_t> read_whole(const Node& node, const Place& place, std::int64_t least, std::int64_t most) {
  const std::optional<std::int64_t> whole = whole_in(node);
  if (!whole) {
    mismatch(node, place, "a whole number");
  } else if (*whole < least || *whole > most) {
    place.complain(node,
                   "is " + std::to_string(*whole) + "; from " + std::to_string(least) + " to " + std::to_string(most));
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

FieldReader::FieldReader(const Node& node, Place place)
    : node_(&node), place_(std::move(place)), is_map_(std::holds_alternative<Node::Map>(node.value)) {
  if (!is_map_) mismatch(node, place_, "an object");
}

const Node* FieldReader::find(std::string_view name) const {
  const auto* map = std::get_if<Node::Map>(&node_->value);
  if (!map) return nullptr;
  const auto found = std::find_if(map->begin(), map->end(), [&](const Entry& entry) { return entry.name == name; });
  return found == map->end() ? nullptr : &found->node;
}

void FieldReader::complain_unless_one(std::string_view what, std::size_t found,
                                      const std::vector<std::string>& words) const {
  const auto* map = std::get_if<Node::Map>(&node_->value);
  if (!map || found == 1 || (found == 0 && !map->empty())) return;  // What is unknown is told of by its name.
  const std::string one(what);
  place_.complain(*node_, found == 0 ? "is no " + one + "; " + nearest("", words)
                                     : "is more than one " + one + "; write each as an entry of its own");
}

void FieldReader::end() const {
  const auto* map = std::get_if<Node::Map>(&node_->value);
  if (!map) return;
  for (const Entry& entry : *map) {
    if (std::find(known_.begin(), known_.end(), entry.name) != known_.end()) continue;
    place_.below(entry.name).complain(entry.node, "is unknown; " + nearest(entry.name, known_));
  }
}

}  // namespace carrack::control
