// What the user asks for. Plain data: the manifest's words decoded, nothing derived, nothing observed.
// What processes are told of it is embedded as the contract with the trainer has it (trainer/launch/launch.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "trainer/launch/config.h"

namespace carrack::control {

using Time = std::chrono::sys_seconds;
using std::chrono::seconds;

// What a pod asks of its node, as Kubernetes writes quantities; empty: what is usual for its role. No other cluster
// has a use for it.
struct Requests {
  std::string cpu;
  std::string memory;
  bool operator==(const Requests&) const = default;
};

struct JobSpec {
  std::string name;
  std::string uid;              // given by the cluster; a job of the same name created later has another
  std::int64_t generation = 0;  // counts changes of the spec; given by the cluster
  bool suspend = false;
  int backoff_limit = 6;  // restarts of the whole job before it fails
  seconds drain{60};      // how long a process that is asked to leave may take
  Requests ps_requests;   // of each
  Requests worker_requests;
  train::Config config;
  bool operator==(const JobSpec&) const = default;
};

}  // namespace carrack::control
