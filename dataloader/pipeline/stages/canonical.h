// The canonical text of stages, by which saved states and snapshots tell pipelines apart. It is not for display: a
// description may be reworded at any time, and a canonical text never.
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

// One stage: its kind and then " key=value" for each option, in a fixed order.
class CanonicalStage {
 public:
  explicit CanonicalStage(std::string_view kind) : text_(kind) {}

  // Escapes the value.
  CanonicalStage& add(std::string_view key, std::string_view value);
  CanonicalStage& add(std::string_view key, std::uint64_t value);
  // The same key for each value.
  CanonicalStage& add(std::string_view key, const std::vector<std::string>& values);
  CanonicalStage& add(const std::vector<Feature>& features);

  std::string text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace carrack::data
