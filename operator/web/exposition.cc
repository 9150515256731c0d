#include "operator/web/exposition.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace carrack::control {
namespace {

// Escapes line breaks and backslashes. Also escapes quotes if `quotes` is true, as for values of labels; in help texts
// quotes must not be escaped.
std::string escaped(std::string_view text, bool quotes) {
  std::string result;
  for (const char c : text) {
    if (c == '\n') {
      result += "\\n";
    } else if (c == '\\' || (quotes && c == '"')) {
      result += {'\\', c};
    } else {
      result += c;
    }
  }
  return result;
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  char text[32];
  const bool whole = value == std::trunc(value) && std::abs(value) < 1e15;
  const auto end = whole ? std::to_chars(text, text + sizeof text, static_cast<std::int64_t>(value))
                         : std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

std::string line(const std::string& name, const Labels& labels, double value) {
  std::string inside;
  for (const auto& [label, text] : labels) {
    inside += (inside.empty() ? "" : ",") + label + "=\"" + escaped(text, true) + '"';
  }
  return name + (inside.empty() ? "" : "{" + inside + "}") + " " + number(value) + "\n";
}

std::string lines(const std::string& name, const Labels& labels, const Histogram& histogram) {
  std::string result;
  std::uint64_t count = 0;
  Labels with_bound = labels;
  with_bound.emplace_back("le", "");
  for (std::size_t i = 0; i < histogram.counts().size(); ++i) {
    count += histogram.counts()[i];
    with_bound.back().second = i < histogram.bounds().size() ? number(histogram.bounds()[i]) : "+Inf";
    result += line(name + "_bucket", with_bound, static_cast<double>(count));
  }
  return result + line(name + "_sum", labels, histogram.sum()) +
         line(name + "_count", labels, static_cast<double>(count));
}

}  // namespace

Histogram::Histogram(std::vector<double> ascending_bounds)
    : bounds_(std::move(ascending_bounds)), counts_(bounds_.size() + 1) {}

void Histogram::observe(double value) {
  const auto bound = std::lower_bound(bounds_.begin(), bounds_.end(), value);
  ++counts_[static_cast<std::size_t>(bound - bounds_.begin())];
  sum_ += value;
}

std::string exposition(const std::vector<Family>& families) {
  std::string text;
  for (const Family& family : families) {
    if (family.samples.empty()) continue;
    text += "# HELP " + family.name + " " + escaped(family.help, false) + "\n";
    text += "# TYPE " + family.name + " " + family.type + "\n";
    for (const auto& [labels, value] : family.samples) {
      const double* plain = std::get_if<double>(&value);
      text += plain ? line(family.name, labels, *plain) : lines(family.name, labels, std::get<Histogram>(value));
    }
  }
  return text;
}

}  // namespace carrack::control
