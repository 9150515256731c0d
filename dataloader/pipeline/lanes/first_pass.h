// FirstPass: the order and the length of a first pass, the first epoch of a training whose files are not all indexed
// when it begins. Each lane (a share of every batch) reads its files from front to back. How many steps the pass has is
// known only once every file has an index, which the workers write to a shared folder as they come to the ends of
// files. docs/design/unindexed-epoch.md has the rule by which all members of a job find the same end. FirstPassBatches
// reads the records. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dataloader/indexes/known_indexes.h"
#include "dataloader/order/streams.h"

namespace carrack::data {

// Totals of all files as they are listed. They are part of the text that identifies the order of a first pass.
struct FileTotals {
  std::uint64_t files = 0;   // number of files that are not empty
  std::uint64_t bytes = 0;   // size of the files as they are stored
  std::uint32_t crc32c = 0;  // of sizes and versions, so a copy of a file counts as another file
};

class FirstPass {
 public:
  // The size of the pass.
  struct Totals {
    std::uint64_t steps = 0;
    std::uint64_t records = 0;
    bool operator==(const Totals&) const = default;
  };

  // `known` must have a shared folder of indexes. Throws an Error for a batch or number of lanes of 0.
  FirstPass(KnownIndexes known, std::uint64_t seed, Batching batching);

  // Which files each lane reads.
  const LaneStreams& streams() const { return streams_; }
  // The indexes that are known so far. FirstPassBatches adds those that it finds.
  KnownIndexes& known() { return known_; }
  const KnownIndexes& known() const { return known_; }
  // A text such as "first pass in 8 lanes, files 2, bytes 760000, crc32c 0badf00d". It has all that the order depends
  // on, except the seed and the batch size. It identifies checkpoints of older releases, so it must never change.
  const std::string& data_fingerprint() const { return data_fingerprint_; }
  const FileTotals& file_totals() const { return file_totals_; }

  // Returns the size of the pass, or nullopt while the index of any file is neither known nor in storage. Looks for
  // missing indexes in storage. Throws an Error if the shared folder of indexes cannot be read.
  std::optional<Totals> totals();
  // Returns the number of records in the files of one lane, or nullopt while the index of one of them is missing. Looks
  // for missing indexes, and throws, as totals() does.
  std::optional<std::uint64_t> records_in(std::uint64_t lane);
  // Returns the number of records that the first `steps` steps have used, in all lanes. All of these steps must be
  // done, by any members. Looks for missing indexes, and throws, as totals() does.
  std::uint64_t records_used(std::uint64_t steps);

 private:
  KnownIndexes known_;
  LaneStreams streams_;
  FileTotals file_totals_;
  std::string data_fingerprint_;
};

}  // namespace carrack::data
