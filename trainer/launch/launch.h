// Launch: all that a process of a job is started with. The operator encodes it (to_environment(), to_config_text()) as
// environment variables, which differ between processes, and one config file, which is the same for all processes of a
// job. The trainer decodes it at its start (parse_launch()). docs/formats/launch.md specifies the format.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "trainer/launch/config.h"
#include "trainer/launch/member.h"

namespace carrack::train {

// The addresses and paths of a process. operator/core leaves them empty; the code that starts the process, on
// Kubernetes (operator/kube) or on one machine (operator/local), sets them.
struct Addresses {
  // Not used with Strategy::single.
  std::string coordinator;  // address of the coordinator; the same in every incarnation
  std::string listen;       // address on which this process listens, unless it is a worker; port 0: any free port
  std::string key_folder;   // path of the folder with the job's key
  // Also used with Strategy::single, whose one process has a coordinator.
  std::string progress;      // IP:PORT where the coordinator serves /progress; empty: not served
  std::string final_report;  // file for the coordinator's report at its end; empty: not written
  bool operator==(const Addresses&) const = default;
};

// A member is a role and an index, such as worker 2. The fence orders the processes that a member had, one after the
// other (member.h).
struct Launch {
  std::string job;  // name of the job
  std::string job_uid;
  Member member;
  Fence fence;
  Addresses addresses;
  Config config;
  bool operator==(const Launch&) const = default;
};

using Environment = std::map<std::string, std::string>;

// The environment variable with the path of the config file.
constexpr std::string_view config_variable = "CARRACK_CONFIG";
// The environment variable with IP:PORT where the process serves health_path. Empty or not set: it is not served.
constexpr std::string_view health_variable = "CARRACK_HEALTH";
constexpr const char* health_path = "/healthz";

// Returns the variables for all of `launch` but its config. config_variable and health_variable are not among them: the
// caller adds them.
Environment to_environment(const Launch& launch);

// Returns the content of the config file, in the oldest version of the format that can express `config`, so that
// trainers of earlier releases can run it. Throws Error with Blame::user if a text in `config` contains a line break.
std::string to_config_text(const Config& config);

// Reads the text of to_config_text(). Throws Error with Blame::user for a version of the file that this code cannot
// read, and with Blame::bug for any other fault.
Config parse_config_text(std::string_view text);

// Reads what to_environment() and to_config_text() wrote. Ignores other variables. Throws Error with Blame::user for a
// version of the file that this code cannot read, and with Blame::bug for any other fault, such as a missing variable.
Launch parse_launch(const Environment& environment, std::string_view config_text);

// Returns the text of a stage of the data without its key, such as "shuffle Full 0 16".
std::string to_launch_line(const Stage& stage);

}  // namespace carrack::train
