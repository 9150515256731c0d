// The order of a first pass: the first epoch of a training whose data is not all indexed when it begins. Lanes read
// files from their beginning; how many steps the pass has is known once every file has been read to its end.
// docs/design/unindexed-epoch.md has the rule by which all members of a job learn the same end. For one thread
// at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dataloader/indexes/known_indexes.h"
#include "dataloader/order/streams.h"

namespace carrack::data {

// What the order of a first pass depends on of its files.
struct FileTotals {
  std::uint64_t files = 0;  // without empty ones
  std::uint64_t bytes = 0;
  std::uint32_t crc32c = 0;  // of sizes and versions, so that a copy of a file is another file
};

class FirstPass {
 public:
  struct Totals {
    std::uint64_t steps = 0;
    std::uint64_t records = 0;
    bool operator==(const Totals&) const = default;
  };

  FirstPass(KnownIndexes known, std::uint64_t seed, Batching batching);

  const Streams& streams() const { return streams_; }
  KnownIndexes& known() { return known_; }
  const KnownIndexes& known() const { return known_; }
  // "first pass in 8 lanes, files 2, bytes 760000, crc32c 0badf00d": everything the order depends on but the seed and
  // the batch size. Checkpoints of older releases are identified by it, so it never changes.
  const std::string& data_fingerprint() const { return data_fingerprint_; }
  const FileTotals& file_totals() const { return file_totals_; }

  // The size of the pass; nullopt while the index of any file is neither here nor in storage.
  std::optional<Totals> totals();
  // The records of the files of one lane, likewise.
  std::optional<std::uint64_t> records_in(std::uint64_t lane);
  // Records used by the first `steps` steps; all of them must be done.
  std::uint64_t records_used(std::uint64_t steps);

 private:
  KnownIndexes known_;
  Streams streams_;
  FileTotals file_totals_;
  std::string data_fingerprint_;
};

}  // namespace carrack::data
