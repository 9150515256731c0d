#include "dataloader/records/example_problems.h"

#include <set>
#include <tuple>

#include "dataloader/error.h"
#include "dataloader/records/raw_numbers.h"

namespace carrack::data {
namespace {

// Returns why a request is not allowed, as words that follow the feature's name in a message; empty if it is allowed.
std::string contradiction_in(const Feature& requested) {
  if (requested.count == 0) return "is asked for with no values";
  const bool in_lists = requested.part == Part::feature_lists;
  if (in_lists && requested.shape == Shape::item) return "is asked for as one item, and holds an item for each step";
  if (in_lists && !requested.partitions.empty()) return "is asked for in partitions, and its steps are those";
  if (!in_lists && requested.may_be_missing) return "may always be missing; that is to be said of feature lists only";
  if (!in_lists && (requested.shape == Shape::lists) == requested.partitions.empty())
    return "is asked for as lists and without partitions, or the other way round";
  if (requested.raw && requested.dtype == Dtype::bytes) return "is asked for as raw numbers and as bytes";
  if (requested.raw && requested.dtype == Dtype::int64 && !is_whole(*requested.raw))
    return std::string("is asked for as int64 from raw ") + name_of(*requested.raw);
  if (!requested.default_values) return "";
  const bool in_items = requested.shape == Shape::item;
  if (!in_items && requested.shape != Shape::padded) return "has a default and is a list; what is missing is empty";
  if (requested.default_values->index() + 1 != static_cast<std::size_t>(requested.dtype))
    return std::string("has a default of another kind than ") + name_of(requested.dtype);
  const std::size_t needed = in_items ? requested.count : 1;
  const std::size_t size = std::visit([](const auto& values) { return values.size(); }, *requested.default_values);
  if (size == needed) return "";
  return "has a default of " + std::to_string(size) + " values, and " + std::to_string(needed) + " are needed";
}

// Returns the message for a feature of another type than requested. For Part::features it names the command that makes
// records of the requested type.
std::string problem_of_type(const Feature& requested, const std::string& subject, Dtype found) {
  const std::string holds = subject + " holds " + name_of(found) + " values, and ";
  if (requested.raw) return holds + "raw " + name_of(*requested.raw) + " was asked for";
  const std::string message = holds + name_of(requested.dtype) + " was asked for";
  if (requested.part == Part::feature_lists) return message;
  return message + "; `carrack data convert` with --types " + requested.name + "=" + name_of(requested.dtype) +
         " makes such records of CSV and of JSON lines";
}

}  // namespace

const char* name_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::bytes:
      return "bytes";
    case Dtype::float32:
      return "float32";
    case Dtype::int64:
      return "int64";
  }
  return "unknown";
}

void check_features(const std::vector<Feature>& features) {
  std::set<std::tuple<Part, std::string>> seen;
  for (const Feature& requested : features) {
    if (const std::string found = contradiction_in(requested); !found.empty())
      throw Error(quoted(requested) + " " + found);
    if (!seen.emplace(requested.part, requested.name).second) throw Error(quoted(requested) + " is asked for twice");
  }
}

std::string quoted(const Feature& requested) {
  return (requested.part == Part::features ? "feature \"" : "feature list \"") + requested.name + "\"";
}

std::string mismatch_text(const Feature& requested, const std::string& subject, const Parsed& parsed,
                          std::size_t values) {
  switch (parsed.outcome) {
    case Outcome::unset:
      return "there is no " + subject;
    case Outcome::other_kind:
      return problem_of_type(requested, subject, static_cast<Dtype>(parsed.kind));
    case Outcome::two_kinds:
      return subject + " holds values of two kinds";
    case Outcome::no_numbers:
      return subject + " holds bytes that are no whole " + name_of(requested.raw.value()) + " numbers";
    case Outcome::malformed:
      return subject + " is malformed";
    case Outcome::good:
      break;
  }
  if (requested.shape == Shape::item || (requested.part == Part::feature_lists && requested.shape != Shape::lists)) {
    return subject + " has " + std::to_string(values) + " values, and " + std::to_string(requested.count) +
           " are needed";
  }
  return subject + " has " + std::to_string(values) + " values, which are no whole items of " +
         std::to_string(requested.count);
}

}  // namespace carrack::data
