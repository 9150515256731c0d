// TrainingJob objects as text: manifests that users write, and objects of the API server. Decoding reports every
// unknown field (except in `metadata`), wrong type and syntax error as a problem; problems_in() of
// operator/core/validate.h then checks the values. docs/reference/trainingjob.md explains the fields. Pure.
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
  std::vector<Problem> problems;  // if not empty, `spec` and `status` are incomplete
  Node document;                  // the parsed text, for with_places(); default if it was not valid
  // Only of a stored job: the conditions that a newer release wrote, with a type or fields that this release does not
  // know.
  std::vector<Node> newer_conditions;
};

// Parses JSON if the first character is '{', else YAML.
Parsed parse_manifest(std::string_view text);
// Decodes a manifest of a user, after parse_manifest().
DecodedJob decode_job(std::string_view text);
DecodedJob decode_job(const Node& object);
// Decodes the JSON of an object that an API server has stored. A newer release may have written it, so unknown fields,
// and unknown members, roles and conditions in the status, are ignored. Unknown words in the spec, such as the kind of
// a layer, are still problems, as they decide what is trained.
DecodedJob decode_stored_job(std::string_view json);

// Returns `problems` with the place of each field in `document` added to its text, if known: its line, or the option
// that gave it.
std::vector<Problem> with_places(std::vector<Problem> problems, const Node& document);

// The whole object, without its status.
Node job_node(const JobSpec& spec);
Node status_node(const JobStatus& status);

// The value of `status.state`: the condition that describes the job best, as one word; empty if there is none.
std::string state_of(const JobStatus& status);

}  // namespace carrack::control
