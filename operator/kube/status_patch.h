// Computes the JSON merge patch by which the operator changes the status subresource of a TrainingJob. A patch changes
// only the fields that it names, so fields that a newer release of the operator has written stay. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "operator/codec/node.h"
#include "operator/core/job_status.h"

namespace carrack::control {

// A status as the API server has stored it at `version`.
struct StoredStatus {
  std::string version;  // resourceVersion
  JobStatus status;
  std::vector<Node> newer_conditions;  // what a newer release wrote in the conditions (DecodedJob::newer_conditions)
};

// Returns the patch from `stored` to `status`. The server refuses it if the job has another version than
// `stored.version` by then. A merge patch replaces the complete list of conditions, so a changed list repeats what a
// newer release has written there.
nlohmann::json status_patch(const StoredStatus& stored, const JobStatus& status);

// The server silently drops fields that its CustomResourceDefinition of TrainingJob lacks. Returns the path of the
// first such field, such as `status.trainerImage`: one that `sent` sets and `stored` does not have. Empty if there is
// none. `sent` is a part of a patch, `stored` the same part of the object in the reply, and `path` the path of both.
std::string dropped_field(const nlohmann::json& sent, const nlohmann::json& stored, const std::string& path);

}  // namespace carrack::control
