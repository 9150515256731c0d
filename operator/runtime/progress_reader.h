// Asks a coordinator how it goes: at most 64 KiB, at most 2 s in all, and nothing in the answer is trusted.
#pragma once

#include <optional>
#include <string>

#include "operator/core/observed.h"

namespace carrack::control {

// Of the coordinator at ADDRESS:PORT; nothing where nobody answers, or not with a report. The fence is the caller's to
// fill in.
std::optional<CoordinatorReport> progress_at(const std::string& address);

// The report in what a coordinator answered; nothing if it is none.
std::optional<CoordinatorReport> report_from(const std::string& json);

}  // namespace carrack::control
