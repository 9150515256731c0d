// The names of the columns that a conversion has joined into features.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace carrack::data {

// Maps the name of each joined feature to the names of its values, in the order of the values.
using ColumnNames = std::map<std::string, std::vector<std::string>, std::less<>>;

}  // namespace carrack::data
