// Reads the progress of a job from its coordinator over HTTP (docs/formats/progress.md), with limits of 64 KiB and 2 s.
// The coordinator is not trusted: fields that are missing or of another type count as absent.
#pragma once

#include <optional>
#include <string>

#include "operator/core/observed.h"

namespace carrack::control {

// Where the progress of a job is read: one start of its leader.
struct ProgressSource {
  std::string job_uid;
  train::Fence fence;
  std::string address;  // IP:PORT; host names are not looked up
  bool operator==(const ProgressSource&) const = default;
};

// Blocks for at most 2 s. Returns nullopt if there is no valid report, or if another start of the job or another
// process has the address by now. Does not throw.
std::optional<CoordinatorReport> read_progress(const ProgressSource& source);

// The report in `json`; nullopt if it is no report, or not of the start `source`. The address is not used.
std::optional<CoordinatorReport> parse_report(const std::string& json, const ProgressSource& source);

// What a coordinator leaves at its end: a line with its report, and the reason of its end if it failed.
struct LastWords {
  std::optional<CoordinatorReport> report;  // nullopt if the first line is no report of `source`
  std::string words;                        // the text without the report
};
LastWords parse_last_words(const std::string& text, const ProgressSource& source);

}  // namespace carrack::control
