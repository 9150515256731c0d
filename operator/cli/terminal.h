// Finds out, for commands of `carrack`, whether standard output is a terminal, how large it is, and whether text may be
// UTF-8.
#pragma once

#include <map>
#include <string>

namespace carrack::control {

// False if standard output is a file or a pipe.
bool output_is_terminal();

// The width of the terminal in characters; 80 if it is not known, or if standard output is not a terminal.
int columns_of_terminal();
// The height of the terminal in lines; 24 if it is not known, or if standard output is not a terminal.
int rows_of_terminal();

// True if the locale that these environment variables choose writes text in UTF-8: by LC_ALL, or else LC_CTYPE, or else
// LANG. False if none is set.
bool is_utf8_locale(const std::map<std::string, std::string>& environment);

}  // namespace carrack::control
