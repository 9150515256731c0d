// Texts that several stages need for their descriptions, which users see.
#pragma once

#include <string>
#include <vector>

#include "dataloader/records/example.h"
#include "dataloader/records/example_problems.h"

namespace carrack::data {

// Returns the parts with ", " between them, such as "a, b"; "" if there are none.
inline std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

// Returns the names, types and counts of the features, such as "id int64, x float32[3]"; not their other properties.
inline std::string describe(const std::vector<Feature>& features) {
  std::vector<std::string> parts;
  for (const Feature& feature : features) {
    const std::string count = feature.count == 1 ? "" : "[" + std::to_string(feature.count) + "]";
    parts.push_back(feature.name + " " + name_of(feature.dtype) + count);
  }
  return join(parts);
}

}  // namespace carrack::data
