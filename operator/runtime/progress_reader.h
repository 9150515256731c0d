// Reads the progress of a job from its coordinator over HTTP (docs/formats/progress.md), with limits of 64 KiB and 2 s.
// The coordinator is not trusted: a field that is missing or of another type counts as absent, a negative count as 0.
#pragma once

#include <optional>
#include <string>

#include "operator/core/observed.h"

namespace carrack::control {

// The process from which the progress of a job is read: one start of its leader.
struct ProgressSource {
  std::string job_uid;
  train::Fence fence;
  std::string address;  // IP:PORT; a host name cannot be used
  bool operator==(const ProgressSource&) const = default;
};

// Requests the report. Blocks for at most 2 s. Returns nullopt if no valid report comes, or if another start of the job
// or another process has the address by now. Does not throw.
std::optional<CoordinatorReport> read_progress(const ProgressSource& source);

// Returns the report in `json`; nullopt if it is not a report, or not one of the start `source`. source.address is not
// used.
std::optional<CoordinatorReport> parse_report(const std::string& json, const ProgressSource& source);

// The text that a leader leaves at its end: a line with its report, and the reason of its end if it failed.
struct LastWords {
  std::optional<CoordinatorReport> report;  // nullopt if the first line is no report of `source`
  std::string words;                        // the text without the line of the report
};
LastWords parse_last_words(const std::string& text, const ProgressSource& source);

}  // namespace carrack::control
