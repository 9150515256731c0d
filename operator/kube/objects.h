// Reads the API server's objects of the four kinds that a job consists of, and keeps what decisions need. Pure; any
// JSON gives a value or nullopt.
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
  std::string job;  // namespace/name of the job that it belongs to by its label, or is
  std::string name;
  Version version = 0;
  Value value;

  // namespace/name of the object itself.
  std::string key() const { return job.substr(0, job.find('/') + 1) + name; }
};

struct JobObject {
  JobSpec spec;
  JobStatus status;
  bool is_being_deleted = false;       // the garbage collector deletes its children
  std::vector<Problem> problems;       // why it could not be decoded: the cluster's CRD is of another release
  std::vector<Node> newer_conditions;  // of DecodedJob
};

struct PodObject {
  ObservedProcess process;
  std::string job_uid;           // of the TrainingJob that owns it; empty if it only has our labels
  std::string progress_address;  // where it serves /progress, IP:PORT; empty while it has no address
};

// A Service or a ConfigMap. Only its existence matters, and whose it is.
struct SharedObject {
  std::string job_uid;  // as of a pod
};

std::optional<WatchedObject<JobObject>> read_job(const nlohmann::json& object);
std::optional<WatchedObject<PodObject>> read_pod(const nlohmann::json& object);
std::optional<WatchedObject<SharedObject>> read_shared_object(const nlohmann::json& object);

// The UID of the TrainingJob that owns the object as its controller; empty if none does. Labels alone prove nothing:
// they may have been copied.
std::string owner_of(const nlohmann::json& object);
// Its controller as KIND NAME, of whatever kind; empty if it has none.
std::string controller_of(const nlohmann::json& object);

// namespace/name.
std::string object_key(const nlohmann::json& object);

// The resourceVersion of an object or a list; 0 if it has none.
Version version_of(const nlohmann::json& object);

// Parses an object or a list, without managedFields and without what is nested more than 64 deep. Gives a discarded
// value for text that is not JSON.
nlohmann::json parse_object(std::string_view text);

}  // namespace carrack::control
