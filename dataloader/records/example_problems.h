// The words of error messages about a requested feature, for the readers of TFRecord, CSV and JSON lines files. Much
// other code uses name_of(), too.
#pragma once

#include <string>

#include "dataloader/records/example.h"
#include "dataloader/records/example_values.h"

namespace carrack::data {

// "bytes", "float32" or "int64".
const char* name_of(Dtype dtype);
// `feature "x"` or `feature list "x"`.
std::string quoted(const Feature& requested);
// Returns the message of a Mismatch, such as `there is no feature "x"` or `feature "x" has 3 values, and 4 are needed`.
// `parsed` is the result of read_values(). If its outcome is good, the problem is `values`, the number of values
// that were found. `subject` is quoted(requested), or a step of it: `step 2 of feature list "x"`.
std::string mismatch_text(const Feature& requested, const std::string& subject, const Parsed& parsed,
                          std::size_t values);

}  // namespace carrack::data
