// Converts a set of batch numbers (runs.h) to and from its form in messages, a list of wire::Run (message.proto).
#pragma once

#include <optional>
#include <vector>

#include "trainer/comm/protocol/message.pb.h"
#include "trainer/comm/protocol/runs.h"

namespace carrack::train {

using WireRuns = google::protobuf::RepeatedPtrField<wire::Run>;

// The maximum number of runs in a message. No member can have more: each batch that is leased but not applied yet makes
// a gap in what a server has applied, and the workers of a job, at most 1000, together have at most 2000 leases.
constexpr int wire_runs_max = 4096;

// Returns the set of batches that a peer has sent. The peer may send anything, so the runs are checked. Returns nullopt
// if there are more than `wire_runs_max`, if they are not ascending, non-empty and separated by gaps, or if a batch is
// `end` or higher. No runs are the empty set.
std::optional<BatchSet> runs_from(const WireRuns& runs, std::uint64_t end = batch_end_max);
// Converts the runs without a check.
WireRuns wire_from(const std::vector<BatchRun>& runs);

}  // namespace carrack::train
