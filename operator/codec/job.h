// Decodes TrainingJobs from YAML or JSON (manifests of users, and objects of the API server) into JobSpec and
// JobStatus, and encodes them. Decoding reports the first syntax error, or else every wrong type and unknown field
// (except in `metadata`), as a problem, and throws nothing; problems_in() of operator/core/validate.h then checks the
// values. docs/reference/trainingjob.md explains the fields. Pure.
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
  JobStatus status;               // the default if the object has no status
  std::vector<Problem> problems;  // if not empty, fields of `spec` and `status` may be missing or wrong
  Node document;                  // the parsed text, for with_places(); the default if it is not an object
  // Only from decode_stored_job(): the conditions with a type or with fields that this release does not know, because a
  // newer release wrote them. The operator does not delete these when it writes the status.
  std::vector<Node> newer_conditions;
};

// Parses `text` as JSON if its first character that is not blank is '{', else as YAML.
Parsed parse_manifest(std::string_view text);
// Decode a manifest that a user has written; text is parsed by parse_manifest().
DecodedJob decode_job(std::string_view text);
DecodedJob decode_job(const Node& object);
// Decodes the JSON of an object that an API server has stored. A newer release may have written it, so unknown fields,
// and unknown members, roles and conditions in the status, are ignored. Unknown words in the spec, such as the kind of
// a layer, are still problems, as they decide what is trained.
DecodedJob decode_stored_job(std::string_view json);

// Returns `problems` with the place of each field in `document` appended to its text: " (line 3)", or the option that
// gave it, such as " (--set spec.training.batch)". Appends nothing if the place is unknown.
std::vector<Problem> with_places(std::vector<Problem> problems, const Node& document);

// Returns the whole TrainingJob object, from apiVersion to spec, without its status. to_yaml() makes text of it.
Node job_node(const JobSpec& spec);
// Returns the value of the object's `status`.
Node status_node(const JobStatus& status);

// Returns the value of `status.state`, which kubectl shows: the type of headline_condition() as one word, such as
// "Running". Empty if no condition holds.
std::string state_of(const JobStatus& status);

}  // namespace carrack::control
