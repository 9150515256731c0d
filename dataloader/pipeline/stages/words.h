// Texts for users that several stages share.
#pragma once

#include <string>
#include <vector>

#include "dataloader/records/example.h"
#include "dataloader/records/example_problems.h"

namespace carrack::data {

// Returns the parts with ", " between them.
inline std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

// Returns a text such as "id int64, x float32[3]".
inline std::string describe(const std::vector<Feature>& features) {
  std::vector<std::string> parts;
  for (const Feature& feature : features) {
    const std::string count = feature.count == 1 ? "" : "[" + std::to_string(feature.count) + "]";
    parts.push_back(feature.name + " " + name_of(feature.dtype) + count);
  }
  return join(parts);
}

}  // namespace carrack::data
