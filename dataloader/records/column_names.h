// The names of the columns that a conversion has joined into features.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace carrack::data {

// Of each joined feature, the names of its values in their order.
using ColumnNames = std::map<std::string, std::vector<std::string>, std::less<>>;

}  // namespace carrack::data
