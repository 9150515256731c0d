// Texts for people that several stages share.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "dataloader/records/example.h"
#include "dataloader/records/example_problems.h"

namespace carrack::data {

// "a, b"
inline std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

// "id int64, x float32[3]"
inline std::string describe(const std::vector<Feature>& features) {
  std::vector<std::string> parts;
  for (const Feature& feature : features) {
    const std::string count = feature.count == 1 ? "" : "[" + std::to_string(feature.count) + "]";
    parts.push_back(feature.name + " " + name_of(feature.dtype) + count);
  }
  return join(parts);
}

// Eight digits.
inline std::string hex32(std::uint32_t number) {
  char text[9];
  std::snprintf(text, sizeof text, "%08x", static_cast<unsigned>(number));
  return text;
}

}  // namespace carrack::data
