// What the operator passes to a process of a job. A Launch travels as environment variables, which differ from process
// to process, and one text file, the same for all processes of a job; docs/formats/launch.md is the format. Both
// directions are here, and they round-trip.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "trainer/launch/config.h"
#include "trainer/launch/member.h"

namespace carrack::train {

// Where a process finds the others. operator/core leaves it empty; the cluster that starts the process fills it in.
struct Addresses {
  std::string coordinator;   // gRPC address of the coordinator; the same in every incarnation
  std::string listen;        // address that this process listens on; port 0: any free one
  std::string key_folder;    // path of the folder with the job's key
  std::string progress;      // IP:PORT where the coordinator serves /progress; empty: it does not
  std::string final_report;  // file for what the coordinator reports at its end; empty: nothing is written
  bool operator==(const Addresses&) const = default;
};

struct Launch {
  std::string job;
  std::string job_uid;
  Member member;
  Fence fence;
  Addresses addresses;
  Config config;
  bool operator==(const Launch&) const = default;
};

using Environment = std::map<std::string, std::string>;

// The environment variable that holds the path of the config file.
constexpr std::string_view config_variable = "CARRACK_CONFIG";
// Likewise, IP:PORT where the process serves /healthz; where it is empty or not set, the process does not.
constexpr std::string_view health_variable = "CARRACK_HEALTH";
constexpr const char* health_path = "/healthz";

// All variables but these two.
Environment to_environment(const Launch& launch);

// The content of the config file, in the oldest version that can express it, so that trainers of earlier releases can
// run it. Throws Error with Blame::user if a text in `config` holds a line break.
std::string to_config_text(const Config& config);

// The config that to_config_text() wrote. Throws as parse_launch().
Config parse_config_text(std::string_view text);

// Throws Error: Blame::user for a contract version that this code cannot read, Blame::bug for anything else that
// to_environment() and to_config_text() do not write. Ignores other variables.
Launch parse_launch(const Environment& environment, std::string_view config_text);

// A stage as the config file has it: "shuffle Full 0 16".
std::string to_launch_line(const Stage& stage);

}  // namespace carrack::train
