// Runs of batches as messages hold them.
#pragma once

#include <vector>

#include "trainer/comm/protocol/message.pb.h"
#include "trainer/comm/protocol/runs.h"

namespace carrack::train {

using WireRuns = google::protobuf::RepeatedPtrField<wire::Run>;

Runs runs_from(const WireRuns& runs);
WireRuns wire_from(const std::vector<BatchRun>& runs);

}  // namespace carrack::train
