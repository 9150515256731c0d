// What a pipeline gives, written once and read from then on: rows by their places, whatever they came from. Nothing
// that is not whole is ever read, whoever is killed when, and any number of processes may make the same one at once;
// docs/formats/snapshot.md says why.
#pragma once

#include <cstdint>
#include <string>

#include "dataloader/pipeline/stages/plan.h"
#include "dataloader/records/compression.h"

namespace carrack::data {

struct SnapshotOptions {
  Compression compression = Compression::none;  // or gzip
  std::uint64_t shard_rows = 0;                 // in each file; 0: as many as take about 64 MiB, as far as is known
  std::uint64_t most_bytes = endless;           // of records, before they are packed; more is an Error
};

// `storage` is that of the folder, and outlives what is opened. The input is opened only where there is no snapshot of
// it.
Opened open_snapshot(const Plan& input, Storage& storage, const std::string& folder, const SnapshotOptions& options,
                     const OpenContext& context);

}  // namespace carrack::data
