// What standard output is, and what it can show.
#pragma once

#include <map>
#include <string>

namespace carrack::control {

bool output_is_terminal();

// The width of the terminal; 80 if it does not say, or if standard output is none.
int columns_of_terminal();
// Its height, likewise; 24 if it does not say.
int rows_of_terminal();

// True if the locale that these environment variables choose writes text in UTF-8.
bool is_utf8_locale(const std::map<std::string, std::string>& environment);

}  // namespace carrack::control
