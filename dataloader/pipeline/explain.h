// The text of `carrack data explain`: what each stage of an open pipeline returns and how exactly it resumes, how the
// files are read, how many threads run and how much memory they take. It reads no rows: opening the pipeline has found
// all that it needs.
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
