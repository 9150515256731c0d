// What the API server's objects say to us: each of the four kinds that a job consists of, cut down to what is decided
// on. Pure; any JSON gives a value or nothing.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "operator/core/observed.h"
#include "operator/runtime/cluster.h"

namespace carrack::control {

// One object of a watched kind. `job` is the key of the job that it belongs to, or is: namespace/name.
template <class Value>
struct Seen {
  std::string job;
  std::string name;
  Version version = 0;
  Value value;

  // Of the object itself, whosever it is: namespace/name.
  std::string key() const { return job.substr(0, job.find('/') + 1) + name; }
};

struct SeenJob {
  JobSpec spec;
  JobStatus status;
  bool leaves = false;            // it is being deleted, and the garbage collector takes its children
  std::vector<Problem> problems;  // it could not be read: the definition that the server has is another version's
};

struct SeenProcess {
  ObservedProcess shown;
  std::string job_uid;   // whose garbage it becomes; empty: nobody's, it only bears our labels
  std::string progress;  // where it serves /progress, HOST:PORT; empty while it has no address
};

// A Service or a ConfigMap: that it is there.
struct SeenShared {};

std::optional<Seen<SeenJob>> job_seen(const nlohmann::json& object);
std::optional<Seen<SeenProcess>> process_seen(const nlohmann::json& object);
std::optional<Seen<SeenShared>> shared_seen(const nlohmann::json& object);

std::string key_of(const nlohmann::json& object);

// The resourceVersion of an object or a list; 0 where it has none.
Version version_of(const nlohmann::json& object);

// A list or an object, without what nobody here reads. Deeper than any object of ours is cut off.
nlohmann::json parsed(std::string_view text);

}  // namespace carrack::control
