// CanonicalStage: makes the canonical text of a stage, a part of the identity of a pipeline. Saved states and snapshots
// are only valid for a pipeline with the same text, so the text of a stage must never change. Users see description()
// instead.
//
//   records file=x-*.tfrecord > parse column=record feature=id,int64 > batch rows=64 drop_remainder=0
//
// docs/formats/pipeline_state.md has the grammar and each stage's keys.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dataloader/records/example.h"

namespace carrack::data {

// Makes the text of one stage: its kind, and then " key=value" for each option, in the order of the calls of add().
// CanonicalStage("take").add("count", 5).text() is "take count=5". The order of the calls must never change.
class CanonicalStage {
 public:
  explicit CanonicalStage(std::string_view kind) : text_(kind) {}

  // Adds a text. Spaces, the characters %=,>[] and all that are not printable ASCII are escaped: % and two hexadecimal
  // digits.
  CanonicalStage& add(std::string_view key, std::string_view value);
  CanonicalStage& add(std::string_view key, std::uint64_t value);
  // Adds the key once for each value, escaped. Adds no key if `values` is empty.
  CanonicalStage& add(std::string_view key, const std::vector<std::string>& values);
  // Adds the key "feature" once for each feature.
  CanonicalStage& add(const std::vector<Feature>& features);

  std::string text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace carrack::data
