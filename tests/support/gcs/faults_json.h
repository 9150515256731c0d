// Faults as JSON, the body of PUT /_faults: `{"seed": 1, "rules": [RULE...]}`. A rule names one fault and, if it is not
// for every request, which ones:
//   {"method": "GET", "target": "data/", "share": 0.01, "answer": {"status": 503}}
//   {"method": "PUT", "nth": [3], "cut": {"after_bytes": 1000}}
// Faults: slow{first_byte_ms, bytes_per_second}, persist{at_most_bytes}, answer{status, applied}, stall{after_bytes,
// lasts_ms}, cut{after_bytes}, lose_request{}, lose_reply{}, expire{status}.
#pragma once

#include <nlohmann/json.hpp>

#include "tests/support/gcs/faults.h"

namespace carrack::tests {

// Throws std::invalid_argument naming the field: a misspelt fault must not become a test without one.
Faults faults_from(const nlohmann::json& json);
nlohmann::json to_json(const Faults& faults);

}  // namespace carrack::tests
