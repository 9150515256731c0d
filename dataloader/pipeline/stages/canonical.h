// The canonical text of a stage. Saved states and snapshots tell pipelines apart by these texts, so a canonical text
// must never change. Users are shown descriptions instead.
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

// Builds the text of one stage: its kind, and then " key=value" for each option, which must be added in a fixed order.
class CanonicalStage {
 public:
  explicit CanonicalStage(std::string_view kind) : text_(kind) {}

  // Escapes the value.
  CanonicalStage& add(std::string_view key, std::string_view value);
  CanonicalStage& add(std::string_view key, std::uint64_t value);
  // Adds the key once for each value, escaped; nothing for no values.
  CanonicalStage& add(std::string_view key, const std::vector<std::string>& values);
  // Adds the key "feature" once for each feature.
  CanonicalStage& add(const std::vector<Feature>& features);

  std::string text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace carrack::data
