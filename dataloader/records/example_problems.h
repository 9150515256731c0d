// The text of messages about features.
#pragma once

#include <string>

#include "dataloader/records/example.h"
#include "dataloader/records/example_values.h"

namespace carrack::data {

const char* name_of(Dtype dtype);
// `feature "x"` or `feature list "x"`.
std::string quoted(const Feature& requested);
// The message of a Mismatch. `subject` names the feature or a step of it; `values` is the number of values found.
std::string problem(const Feature& requested, const std::string& subject, const Parsed& parsed, std::size_t values);

}  // namespace carrack::data
