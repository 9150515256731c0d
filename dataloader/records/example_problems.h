// The words for what a tf.Feature lacks, as a Mismatch says them.
#pragma once

#include <string>

#include "dataloader/records/example.h"
#include "dataloader/records/example_values.h"

namespace carrack::data {

const char* name_of(Dtype dtype);
// `feature "x"` or `feature list "x"`.
std::string quoted(const Feature& asked);
// `subject` is the feature, or a step of it. The number of values is as it should be, or `expected`.
std::string problem(const Feature& asked, const std::string& subject, const Parsed& parsed, std::size_t values);

}  // namespace carrack::data
