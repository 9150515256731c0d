// Text as YAML, for manifests. Pure.
#pragma once

#include <string>

namespace carrack::data::cli {

// In quotes if it needs them to be read as this text, also by kubectl, which takes a plain `y` for true.
std::string yaml_text(const std::string& text);

}  // namespace carrack::data::cli
