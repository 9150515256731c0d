// The first epoch of data that is not all indexed when it begins: its order, and how much of it is known by now. It is
// for one thread at a time. docs/design/unindexed-epoch.md tells the rule by which all members know the same of its
// end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dataloader/indexes/known_indexes.h"
#include "dataloader/order/streams.h"

namespace carrack::data {

// The files of a first pass, as far as their order follows from them.
struct FileTotals {
  std::uint64_t files = 0;  // that are not empty
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
  // "first pass in 8 lanes, files 2, bytes 760000, crc32c 0badf00d": all that the order follows from, but for the seed
  // and the batch. A copy of a file is another one here.
  const std::string& contents() const { return contents_; }
  const FileTotals& file_totals() const { return file_totals_; }

  // Nothing while the index of any file is missing, here and where others keep it.
  std::optional<Totals> totals();
  // Of a lane's stream, likewise.
  std::optional<std::uint64_t> records_in(std::uint64_t lane);
  // By so many steps, where all of them are done.
  std::uint64_t records_used(std::uint64_t steps);

 private:
  KnownIndexes known_;
  Streams streams_;
  FileTotals file_totals_;
  std::string contents_;
};

}  // namespace carrack::data
