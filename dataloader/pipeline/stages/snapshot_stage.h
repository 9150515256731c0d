// The stage of Dataset::snapshot(): writes all rows of its input to storage once, before the first row can be read.
// This run and all later ones read them from there (docs/formats/snapshot.md). Only complete snapshots are read. Any
// number of processes may open, and write, the same snapshot at the same time.
#pragma once

#include <cstdint>
#include <string>

#include "dataloader/pipeline/stages/opened.h"
#include "dataloader/pipeline/stages/options.h"

namespace carrack::data {

struct Plan;

// Opens the snapshot of `input`. If it does not exist, writes it first, which may take as long as reading all of
// `input`. `folder` is the URL of the folder of all snapshots, in `storage`. Each snapshot has a subfolder, whose name
// is a fingerprint of the pipeline, its sources and the options, so a changed source makes another snapshot. `storage`
// must outlive what is opened. The rows are a sequence. Throws an Error if the snapshot cannot be written or read, and
// if it lacks rows that could not be used when it was written, unless context.on_damage is `skip`.
Opened open_snapshot(const Plan& input, Storage& storage, const std::string& folder, const SnapshotOptions& options,
                     const OpenContext& context);

namespace stages {

// record_stages.h explains the members of a stage. open() opens the input itself, but only if it writes the snapshot.
// Sources that read no files are always opened, to identify their data.
struct Snapshot {
  std::string folder;  // see open_snapshot()
  SnapshotOptions options = {};

  static constexpr const char* kind = "snapshot";
  // Contains no options, because Facts::data_fingerprint identifies the snapshot's files more exactly.
  std::string canonical() const { return kind; }
  std::string description() const { return ""; }
  Opened open(const Plan& input, const OpenContext& context) const;
};

}  // namespace stages
}  // namespace carrack::data
