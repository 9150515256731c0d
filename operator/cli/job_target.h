// Parses the command lines of `carrack explain`, `logs` and `top`, which name one job: a TrainingJob in a cluster, or
// the folder of a `carrack run` on this machine. JobSource (job_source.h) reads the job.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <variant>

#include "operator/api_server/access.h"
#include "operator/cli/command_line.h"
#include "operator/cli/program.h"
#include "operator/explain/job_view.h"

namespace carrack::control {

// The end of the --help text of these commands.
constexpr const char* target_usage = R"(
  JOB             a TrainingJob of the cluster
  FOLDER          the folder of a `carrack run`: one with a job.json, or any name with a '/'
  -n, --namespace the namespace of JOB (default: that of the context, or `default`)
  --context       the context of the kubeconfig (default: the current one)
  --kubeconfig    the file to use (default: KUBECONFIG, or ~/.kube/config)
  --help          print this
)";

struct JobTarget {
  std::string folder;            // the folder of a run on this machine; empty: the job is in a cluster
  std::string name_space, name;  // those of a job in a cluster; name_space is empty unless --namespace is given
  AccessChoice choice;
};

struct TargetArguments : CommandArguments {
  JobTarget target;
};

// Parses the arguments of a command that takes one job, with the options of target_usage in addition to those of
// `command`. The job's argument names a folder if it contains a '/', or if it is a folder with a run (job.json) and no
// option for a cluster was typed. Any other is the name of a TrainingJob; nothing checks here that it exists. Returns
// what to print instead, as parse_command_arguments() does.
std::variant<TargetArguments, Printed> parse_target_arguments(CommandLine command, std::span<char* const> arguments);

}  // namespace carrack::control
