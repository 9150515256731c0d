// Text as YAML, for manifests. Pure.
#pragma once

#include <string>

namespace carrack::data::cli {

// Returns the text as a YAML string, in quotes unless every YAML parser reads it as this string without them. (kubectl
// reads YAML 1.1, where a plain `y` is true.)
std::string yaml_text(const std::string& text);

}  // namespace carrack::data::cli
