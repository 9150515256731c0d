// ColumnNames: the names of the columns that `carrack data convert --join` has joined into features, by feature.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace carrack::data {

// Maps the name of each joined feature to the names of the columns that became its values, in the order of the values:
// {"measures", {"age", "height"}}. Features that were not joined are not in it.
using ColumnNames = std::map<std::string, std::vector<std::string>, std::less<>>;

}  // namespace carrack::data
