// Asks a coordinator how it goes: at most 64 KiB, at most 2 s in all, and nothing in the answer is trusted.
#pragma once

#include <optional>
#include <string>

#include "operator/core/observed.h"

namespace carrack::control {

// Who tells how a job goes, and where: one start of its leader.
struct Teller {
  std::string job_uid;
  train::Fence fence;
  std::string address;  // HOST:PORT
  bool operator==(const Teller&) const = default;
};

// Nothing where nobody answers, or not with a report, or another process has the address by now.
std::optional<CoordinatorReport> progress_of(const Teller& teller);

// The report in what was answered; nothing if it is none, or another's.
std::optional<CoordinatorReport> report_from(const std::string& json, const Teller& teller);

}  // namespace carrack::control
