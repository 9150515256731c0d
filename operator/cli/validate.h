// `carrack validate MANIFEST...`: checks whether the manifests of TrainingJobs are valid, and whether the data files,
// checkpoints and weights exist and contain what the manifests say. It starts nothing and writes nothing. `carrack run`
// makes the same checks, but only of local files.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "operator/codec/node.h"
#include "operator/core/validate.h"

namespace carrack::control {

// Which files are checked: all, or only those on this machine. `carrack run` leaves remote files to the job's
// processes, which try again while a storage cannot be reached.
enum class WhichFiles { everything, local_files };

// The result of a CheckFiles.
struct FilesReport {
  std::vector<Problem> problems;
  std::string text;  // "3 files, features x (float32, 7), y (float32)"; use it only if there are no problems
};
// Checks the files that a job of the trainer reads, before the job starts; it is look_at_job() of look_at_job.h. Must
// change nothing. A storage that cannot be used is a problem in the result, not an exception.
using CheckFiles = std::function<FilesReport(const JobSpec& job, WhichFiles)>;

// Returns the result of `look`, with " (line 3)" or " (--set ...)" appended to each problem whose place in the manifest
// `document` is known (with_places()). Leaves out problems of the checkpoint folder if the manifest does not name one.
FilesReport check_files_with_places(const CheckFiles& look, WhichFiles which, const JobSpec& job, const Node& document);

// Takes the arguments after `validate`. Calls `look` on this thread for each valid manifest, except with strategy Own,
// and unless --no-data was typed. Returns the largest exit code of all manifests: 0 for a valid one, 2 for one that has
// problems or cannot be read, 1 for any other error. An error is printed, not thrown.
int validate(std::span<char* const> arguments, const ModelCheck& check_model, const CheckFiles& look);

}  // namespace carrack::control
