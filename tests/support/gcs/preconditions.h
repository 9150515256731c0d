// Preconditions on an object, as https://cloud.google.com/storage/docs/request-preconditions documents them. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tests/support/gcs/http_text.h"

namespace carrack::tests {

struct Preconditions {
  std::optional<std::int64_t> generation_match;
  std::optional<std::int64_t> generation_not_match;
  std::optional<std::int64_t> metageneration_match;
  std::optional<std::int64_t> metageneration_not_match;

  bool operator==(const Preconditions&) const = default;
  bool any() const { return *this != Preconditions(); }
};

struct LiveObject {
  std::int64_t generation = 0;
  std::int64_t metageneration = 0;
};

enum class Verdict {
  met,
  failed,        // A *Match does not hold: 412.
  not_modified,  // A *NotMatch does not hold: 304.
};

// In a *Match, 0 stands for «no live object». A *NotMatch never holds without a live object.
Verdict verdict(const Preconditions& preconditions, const std::optional<LiveObject>& live);

// From ifGenerationMatch and its like; with the prefix "ifSource", from ifSourceGenerationMatch and its like. Nothing
// if a value is not a number.
std::optional<Preconditions> json_preconditions(const Fields& query, const std::string& prefix = "if");
// From x-goog-if-generation-match and x-goog-if-metageneration-match, all that the XML API has.
std::optional<Preconditions> xml_preconditions(const Fields& headers);

}  // namespace carrack::tests
