// TrainingJob objects as text: manifests that users write, and what the API server keeps. Unknown fields, wrong types
// and unreadable texts are problems, all of them listed; what the fields mean is docs/reference/trainingjob.md. Whether
// the values make sense is problems_in() of operator/core/validate.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "operator/codec/node.h"
#include "operator/core/job.h"
#include "operator/core/job_status.h"

namespace carrack::control {

struct DecodedJob {
  JobSpec spec;
  JobStatus status;               // default where the object has none yet
  std::vector<Problem> problems;  // where there are any, spec and status hold what could be read
};

// YAML or JSON, told apart by the first character.
DecodedJob decode_job(std::string_view text);
DecodedJob decode_job(const Node& object);

// The whole object without its status.
Node job_node(const JobSpec& spec);
Node status_node(const JobStatus& status);

// `status.state`: the condition that says most, in a word; empty before the first.
std::string state_of(const JobStatus& status);

}  // namespace carrack::control
