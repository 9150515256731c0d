// Expresses the change of a job's status as a JSON merge patch of its status subresource. The API server keeps fields
// that the patch does not name, so fields that a newer release has written stay. Pure.
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
  std::vector<Node> newer_conditions;  // DecodedJob::newer_conditions
};

// Returns the patch from `stored` to `status`. The server refuses it if the job has another version than
// `stored.version` by then. A merge patch replaces the complete list of conditions, so a changed list repeats what a
// newer release has written there.
nlohmann::json status_patch(const StoredStatus& stored, const JobStatus& status);

// Returns the path, such as `status.trainerImage`, of the first field that `sent` sets and `stored` does not have;
// empty if there is none. `sent` is a part of a patch, `stored` the same part of the object in the reply, and `path`
// its path. The server drops fields that its definition of TrainingJob lacks.
std::string dropped_field(const nlohmann::json& sent, const nlohmann::json& stored, const std::string& path);

}  // namespace carrack::control
