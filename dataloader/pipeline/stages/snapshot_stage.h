// The rows of a pipeline, written to storage once and read from there afterwards, docs/formats/snapshot.md. Nothing
// that is incomplete is ever read, and any number of processes may write the same snapshot at once.
#pragma once

#include <cstdint>
#include <string>

#include "dataloader/pipeline/stages/opened.h"
#include "dataloader/pipeline/stages/options.h"

namespace carrack::data {

struct Plan;

// `storage` is that of the folder and must outlive what is opened. The input is opened only if there is no snapshot of
// it yet.
Opened open_snapshot(const Plan& input, Storage& storage, const std::string& folder, const SnapshotOptions& options,
                     const OpenContext& context);

namespace stages {

// See record_stages.h for what the members are. open() opens the input itself, if it has to.
struct Snapshot {
  std::string folder;
  SnapshotOptions options = {};

  static constexpr const char* kind = "snapshot";
  // Without options: the snapshot's files are in the fingerprint of the data.
  std::string canonical() const { return kind; }
  std::string description() const { return ""; }
  Opened open(const Plan& input, const OpenContext& context) const;
};

}  // namespace stages
}  // namespace carrack::data
