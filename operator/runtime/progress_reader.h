// Reads the progress of a job (step, loss, last checkpoint, hung members) from its coordinator, by GET /progress
// (docs/formats/progress.md). The coordinator is not trusted: a reply may have at most 64 KiB, a field that is missing
// or of another type counts as absent, and a negative count as 0.
#pragma once

#include <optional>
#include <string>

#include "operator/core/observed.h"

namespace carrack::control {

// The process from which the progress of a job is read: one process of its leader (the coordinator, or the only process
// of strategy Single).
struct ProgressSource {
  std::string job_uid;
  train::Fence fence;   // attempt and incarnation of the process: a report must have the same
  std::string address;  // IP:PORT, such as "10.0.0.7:7401" or "[fd00::7]:7401"; not a host name
  bool operator==(const ProgressSource&) const = default;
};

// Requests the report from source.address. Blocks for at most 2 s. Returns nullopt if no valid report comes, or if the
// report is of another process than `source`, because the address was reused. Does not throw.
std::optional<CoordinatorReport> read_progress(const ProgressSource& source);

// Returns the report in the text `json`; nullopt if it is not a report, or not one of the process `source`. Ignores
// source.address.
std::optional<CoordinatorReport> parse_report(const std::string& json, const ProgressSource& source);

// The text that a leader leaves at its exit, on Kubernetes the termination message of its container: a line with its
// last report, and after it the reason of the exit if it failed.
struct LastWords {
  std::optional<CoordinatorReport> report;  // nullopt if the first line is no report of `source`
  std::string words;                        // the text without the line of the report
};
// Splits such a text. Accepts any text. Ignores source.address.
LastWords parse_last_words(const std::string& text, const ProgressSource& source);

}  // namespace carrack::control
