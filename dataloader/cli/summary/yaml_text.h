// Writes a string into the YAML of a manifest, for `carrack data inspect` and `carrack init`. Pure.
#pragma once

#include <string>

namespace carrack::data::cli {

// Returns the text as a YAML string: `red` for red, but `"yes"` for yes and `"1.5"` for 1.5, because a YAML parser
// would read these as a boolean and a number. (kubectl reads YAML 1.1, where even a plain `y` is true.) The text should
// be UTF-8.
std::string yaml_text(const std::string& text);

}  // namespace carrack::data::cli
