// The change of a job's status, as a JSON merge patch of its status subresource. The API server keeps fields that the
// patch does not name, so fields that a newer release has written stay. Pure.
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

// The patch from `stored` to `status`. The server refuses it if it has another version by then. A merge patch replaces
// the list of conditions as a whole, so the list repeats what a newer release has written there.
nlohmann::json status_patch(const StoredStatus& stored, const JobStatus& status);

// The path, such as `status.trainerImage`, of a field that `sent` sets and `stored` does not have; empty if there is
// none. `sent` is a part of a patch, `stored` the same part of the object in the reply, and `path` its path. The server
// drops fields that its definition of TrainingJob lacks.
std::string dropped_field(const nlohmann::json& sent, const nlohmann::json& stored, const std::string& path);

}  // namespace carrack::control
