#include "tests/support/gcs/preconditions.h"

#include <charconv>

namespace carrack::tests {
namespace {

bool matches(const std::optional<std::int64_t>& wanted, std::optional<std::int64_t> actual) {
  return !wanted || *wanted == actual.value_or(0);
}

bool differs(const std::optional<std::int64_t>& unwanted, std::optional<std::int64_t> actual) {
  return !unwanted || (actual && *unwanted != *actual);
}

// False if there is a value and it is not a number.
bool read(const std::optional<std::string>& text, std::optional<std::int64_t>& into) {
  if (!text) return true;
  const char* const end = text->data() + text->size();
  const auto [read_to, error] = std::from_chars(text->data(), end, into.emplace());
  return error == std::errc() && read_to == end;
}

}  // namespace

Verdict verdict(const Preconditions& preconditions, const std::optional<LiveObject>& live) {
  const auto generation = live ? std::optional(live->generation) : std::nullopt;
  const auto metageneration = live ? std::optional(live->metageneration) : std::nullopt;
  if (!matches(preconditions.generation_match, generation)) return Verdict::failed;
  if (!matches(preconditions.metageneration_match, metageneration)) return Verdict::failed;
  if (!differs(preconditions.generation_not_match, generation)) return Verdict::not_modified;
  if (!differs(preconditions.metageneration_not_match, metageneration)) return Verdict::not_modified;
  return Verdict::met;
}

std::optional<Preconditions> json_preconditions(const Fields& query, const std::string& prefix) {
  Preconditions found;
  const bool numbers = read(parameter(query, prefix + "GenerationMatch"), found.generation_match) &&
                       read(parameter(query, prefix + "GenerationNotMatch"), found.generation_not_match) &&
                       read(parameter(query, prefix + "MetagenerationMatch"), found.metageneration_match) &&
                       read(parameter(query, prefix + "MetagenerationNotMatch"), found.metageneration_not_match);
  return numbers ? std::optional(found) : std::nullopt;
}

std::optional<Preconditions> xml_preconditions(const Fields& headers) {
  Preconditions found;
  const bool numbers = read(header(headers, "x-goog-if-generation-match"), found.generation_match) &&
                       read(header(headers, "x-goog-if-metageneration-match"), found.metageneration_match);
  return numbers ? std::optional(found) : std::nullopt;
}

}  // namespace carrack::tests
