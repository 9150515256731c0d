// Runs of batches as the messages hold them.
#pragma once

#include <optional>
#include <vector>

#include "trainer/comm/protocol/message.pb.h"
#include "trainer/comm/protocol/runs.h"

namespace carrack::train {

using WireRuns = google::protobuf::RepeatedPtrField<wire::Run>;

// More runs than a member can have. There is a gap in what a server has applied for each batch that is leased and not
// applied yet, and the workers of a job have at most 2000 leases together, or 2 each.
constexpr int wire_runs_max = 4096;

// Returns nullopt unless the runs are at most `wire_runs_max`, not empty, ascending, apart from each other, and end at
// `end` or before: a peer may send anything.
std::optional<Runs> runs_from(const WireRuns& runs, std::uint64_t end = ~std::uint64_t{0});
WireRuns wire_from(const std::vector<BatchRun>& runs);

}  // namespace carrack::train
