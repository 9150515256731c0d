// Quotes words for a shell.
#pragma once

#include <string>

namespace carrack::control {

// The word as a POSIX shell reads it back; quoted only if it needs to be.
std::string shell_word(const std::string& word);

}  // namespace carrack::control
