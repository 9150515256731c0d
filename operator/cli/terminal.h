// Whether standard output is a terminal, and what it can show.
#pragma once

#include <map>
#include <string>

namespace carrack::control {

bool output_is_terminal();

// The width of the terminal in characters; 80 if it is not known, or if standard output is not a terminal.
int columns_of_terminal();
// The height of the terminal in lines; 24 if it is not known, or if standard output is not a terminal.
int rows_of_terminal();

// True if the locale that these environment variables choose writes text in UTF-8.
bool is_utf8_locale(const std::map<std::string, std::string>& environment);

}  // namespace carrack::control
