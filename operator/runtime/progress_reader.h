// Reads the progress of a job from its coordinator over HTTP (docs/formats/progress.md): a body of at most 64 KiB, at
// most 2 s in all. The coordinator is not trusted: fields of another type or that are missing count as absent.
#pragma once

#include <optional>
#include <string>

#include "operator/core/observed.h"

namespace carrack::control {

// Where the progress of a job is read: one start of its leader.
struct ProgressSource {
  std::string job_uid;
  train::Fence fence;
  std::string address;  // IP:PORT; names are not looked up
  bool operator==(const ProgressSource&) const = default;
};

// nullopt if no process answers with a report, or another process has the address by now. Blocks for at most 2 s.
std::optional<CoordinatorReport> read_progress(const ProgressSource& source);

// The report in the body of a reply; nullopt if it is none, or of another start.
std::optional<CoordinatorReport> parse_report(const std::string& json, const ProgressSource& source);

// What a coordinator leaves at its end: a line with its report, and the reason of its end if it failed.
struct LastWords {
  std::optional<CoordinatorReport> report;  // nullopt if the first line is none
  std::string words;                        // all but the report
};
LastWords parse_last_words(const std::string& text, const ProgressSource& source);

}  // namespace carrack::control
