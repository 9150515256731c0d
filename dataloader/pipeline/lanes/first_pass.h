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

// Whether these words are the contents() of a first pass.
bool tell_of_a_first_pass(const std::string& contents);

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

  // Nothing while the index of any file is missing, here and where others keep it.
  std::optional<Totals> totals();
  // Of a lane's stream, likewise.
  std::optional<std::uint64_t> records_in(std::uint64_t lane);
  // By so many steps, where all of them are done.
  std::uint64_t records_used(std::uint64_t steps);

 private:
  KnownIndexes known_;
  Streams streams_;
  std::string contents_;
};

}  // namespace carrack::data
