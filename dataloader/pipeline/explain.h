// Explains an opened pipeline to users: what each stage gives and how exactly it resumes, how the files are read, how
// many threads run and how much memory they take. A pure function of what opening found; it reads no rows.
#pragma once

#include <string>
#include <vector>

#include "dataloader/pipeline/stages/facts.h"

namespace carrack::data {

struct ReadingOptions;

// `stages` are those of Reading::stages(), at least one.
std::string explain(const std::vector<OpenedStage>& stages, const ReadingOptions& options);

}  // namespace carrack::data
