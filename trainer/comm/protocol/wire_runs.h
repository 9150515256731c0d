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

// Checks runs from a peer, which may send anything. Returns nullopt if there are more than `wire_runs_max`, if they are
// not ascending, non-empty and separated by gaps, or if one ends after `end`.
std::optional<Runs> runs_from(const WireRuns& runs, std::uint64_t end = ~std::uint64_t{0});
WireRuns wire_from(const std::vector<BatchRun>& runs);

}  // namespace carrack::train
