// Records of a few values for tests of what a look finds.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "dataloader/records/example_writer.h"
#include "dataloader/storage/storage.h"

namespace carrack::train {

struct SomeValues {
  std::vector<float> x = {1, 2};
  std::vector<std::int64_t> n = {3};
  std::vector<std::string_view> text = {"Rome"};
  std::vector<float> y = {4};
};

// A tf.Example with the features n, text, x and y.
inline data::Bytes example_with(const SomeValues& values) {
  const data::NamedValues named[] = {{"n", std::span<const std::int64_t>(values.n)},
                                     {"text", std::span<const std::string_view>(values.text)},
                                     {"x", std::span<const float>(values.x)},
                                     {"y", std::span<const float>(values.y)}};
  return data::example_of(named);
}

}  // namespace carrack::train
