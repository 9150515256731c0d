// Text of others (manifests, processes' last words) as a terminal may be given it: it moves no cursor, and is bounded.
#pragma once

#include <string>
#include <string_view>

namespace carrack::control {

// Control characters but line ends and tabs as \x1b; of what is very long the beginning and the end.
std::string printable(std::string_view text);

// A word as a shell reads it back.
std::string shell_word(const std::string& word);

}  // namespace carrack::control
