// TrainingJob objects as text: manifests that users write, and objects of the API server. Decoding lists every unknown
// field (except in `metadata`), wrong type and syntax error as a problem; problems_in() of operator/core/validate.h
// then checks the values. docs/reference/trainingjob.md explains the fields.
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
  std::vector<Problem> problems;  // if not empty, spec and status hold what could be read
  Node document;                  // the parsed text, for with_places(); empty if it was not valid YAML or JSON
  // Of a stored job, the conditions that this release would not write as they are, since a newer one wrote them.
  std::vector<Node> newer_conditions;
};

// Parses JSON if the first character is '{', else YAML.
Parsed parse_manifest(std::string_view text);
DecodedJob decode_job(std::string_view text);
DecodedJob decode_job(const Node& object);
// An object that an API server has stored, in JSON. A newer release may have written it, so unknown fields, and in the
// status unknown members, roles and conditions, are ignored. What decides what is trained must be known.
DecodedJob decode_stored_job(std::string_view json);

// `problems` with the places of their fields in `document` at the ends of their texts, where known: their lines, or the
// options that gave them.
std::vector<Problem> with_places(std::vector<Problem> problems, const Node& document);

// The whole object without its status.
Node job_node(const JobSpec& spec);
Node status_node(const JobStatus& status);

// `status.state`: the condition that describes the job best, as one word; empty while there is none.
std::string state_of(const JobStatus& status);

}  // namespace carrack::control
