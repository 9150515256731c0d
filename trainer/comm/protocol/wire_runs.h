// Converts runs of batches to and from their form in messages.
#pragma once

#include <optional>
#include <vector>

#include "trainer/comm/protocol/message.pb.h"
#include "trainer/comm/protocol/runs.h"

namespace carrack::train {

using WireRuns = google::protobuf::RepeatedPtrField<wire::Run>;

// More runs than a member can have. Each batch that is leased but not applied yet makes a gap in what a server has
// applied, and the workers of a job together have at most 2000 leases, or 2 each.
constexpr int wire_runs_max = 4096;

// Returns nullopt if there are more than `wire_runs_max` runs, or if they are not ascending, non-empty and separated by
// gaps, or do not end at or before `end`. Check messages from peers with it, as a peer may send anything.
std::optional<Runs> runs_from(const WireRuns& runs, std::uint64_t end = ~std::uint64_t{0});
WireRuns wire_from(const std::vector<BatchRun>& runs);

}  // namespace carrack::train
