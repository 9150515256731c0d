// The text of messages about features.
#pragma once

#include <string>

#include "dataloader/records/example.h"
#include "dataloader/records/example_values.h"

namespace carrack::data {

const char* name_of(Dtype dtype);
// `feature "x"` or `feature list "x"`.
std::string quoted(const Feature& requested);
// Returns the message of a Mismatch: how `parsed` differs from the request or, if its outcome is good, that `values` is
// a wrong number of values. `subject` names the feature or a step of it.
std::string problem(const Feature& requested, const std::string& subject, const Parsed& parsed, std::size_t values);

}  // namespace carrack::data
