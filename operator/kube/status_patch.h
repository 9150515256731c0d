// The change of a job's status, as a JSON merge patch of its status subresource. The API server keeps what the patch
// does not name, so fields that a newer release has written stay. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "operator/codec/node.h"
#include "operator/core/job_status.h"

namespace carrack::control {

// A status as the API server has stored it at `version`.
struct StoredStatus {
  std::string version;
  JobStatus status;
  std::vector<Node> newer_conditions;  // of DecodedJob
};

// Changes `stored` to `status`, or nothing if the server has another version by now. The list of conditions is replaced
// as a whole, so it repeats what a newer release has written there.
nlohmann::json status_patch(const StoredStatus& stored, const JobStatus& status);

// The path of a field that `sent`, a part of a patch, sets and that `stored`, the same part of the object in the
// server's reply, does not have, such as `status.trainerImage`; empty if there is none. The server drops fields that
// its definition of TrainingJob does not have.
std::string dropped_field(const nlohmann::json& sent, const nlohmann::json& stored, const std::string& path);

}  // namespace carrack::control
