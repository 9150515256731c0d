// Decodes the API server's JSON objects of the four kinds of a job (TrainingJob, Pod, Service, ConfigMap), and extracts
// what the operator's decisions need. Accepts any JSON. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "operator/codec/node.h"
#include "operator/core/observed.h"
#include "operator/runtime/cluster.h"

namespace carrack::control {

// An object of a watched kind.
template <class Value>
struct WatchedObject {
  std::string job;   // namespace/name of the job that the object's label names, perhaps falsely; for a job, its own
  std::string name;  // of the object, without its namespace
  Version version = 0;
  Value value;

  // namespace/name of the object itself.
  std::string key() const { return job.substr(0, job.find('/') + 1) + name; }
};

struct JobObject {
  JobSpec spec;
  JobStatus status;
  bool is_being_deleted = false;       // it has a deletionTimestamp; Kubernetes deletes what it owns, too
  std::vector<Problem> problems;       // of fields that could not be decoded; the CRD may be of another release
  std::vector<Node> newer_conditions;  // DecodedJob::newer_conditions
};

struct PodObject {
  ObservedProcess process;
  std::string job_uid;           // the result of owner_of()
  std::string progress_address;  // IP:PORT where a leader serves /progress; empty while it has no IP
};

// A Service or a ConfigMap. Only its existence and its owner matter.
struct SharedObject {
  std::string job_uid;  // the result of owner_of()
};

// These return nullopt for a job without a name, and for another object without the labels that the operator sets. They
// do not check who owns the object. A field that cannot be decoded becomes an entry of JobObject::problems.
std::optional<WatchedObject<JobObject>> read_job(const nlohmann::json& object);
std::optional<WatchedObject<PodObject>> read_pod(const nlohmann::json& object);
std::optional<WatchedObject<SharedObject>> read_shared_object(const nlohmann::json& object);

// The UID of the TrainingJob that owns the object as its controller; empty if none does. Check it before you trust an
// object: labels prove nothing, since anybody may copy them.
std::string owner_of(const nlohmann::json& object);
// The controller of the object, of any kind, for messages: "ReplicaSet web-5d4f". Empty if it has none.
std::string controller_of(const nlohmann::json& object);

// The namespace/name of the object itself.
std::string object_key(const nlohmann::json& object);

// The resourceVersion of an object or a list; 0 if it has none.
Version version_of(const nlohmann::json& object);

// Parses the text of an object or a list. Leaves out managedFields, and values that are nested deeper than 64 levels.
// Does not throw: for text that is not JSON it returns a discarded value (is_discarded()), which the functions of
// json_path.h read as empty.
nlohmann::json parse_object(std::string_view text);

}  // namespace carrack::control
