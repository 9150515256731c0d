// Asks a coordinator how it goes: at most 64 KiB within 2 s, and nothing in the answer is trusted.
#pragma once

#include <optional>
#include <string>

#include "operator/core/observed.h"

namespace carrack::control {

// Nothing where nobody answers, or not with a report. The fence is the caller's to fill in.
std::optional<CoordinatorReport> progress_at(const std::string& address);

// The report in what a coordinator answered; nothing if it is none.
std::optional<CoordinatorReport> report_from(const std::string& json);

// 127.0.0.1 with a port that is free now.
std::string free_local_address();

}  // namespace carrack::control
