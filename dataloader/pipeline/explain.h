// Explains an open pipeline to users: what each stage returns and how exactly it resumes, how the files are read, how
// many threads run and how much memory they take. A pure function of what opening found; it reads no rows.
#pragma once

#include <string>
#include <vector>

#include "dataloader/pipeline/stages/facts.h"

namespace carrack::data {

struct ReadingOptions;

// Returns a human-readable text of several lines. `stages` are Reading::stages(), at least one, and `options` are those
// with which the Reading was opened.
std::string explain(const std::vector<OpenedStage>& stages, const ReadingOptions& options);

}  // namespace carrack::data
