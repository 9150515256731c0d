// Stream: the interface of rows or batches that can only be read from front to back, chunk by chunk, such as those of a
// filter or a compressed text file. Its position can be saved, and restored in a stream of the same pipeline that is
// opened later. Used by one thread at a time. Elements that can be read at any place are a Sequence (sequence.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "dataloader/pipeline/rows/rows.h"
#include "dataloader/pipeline/rows/state.h"

namespace carrack::data {

class Stream {
 public:
  virtual ~Stream() = default;

  // Returns the next rows, or the next batch; nullopt at the end. A result may have no rows, or only lost ones. With
  // OnDamage::stop a result that is cut (Rows::is_cut) is the last: do not call next() again. Throws an Error if
  // reading fails; do not call next() after that either.
  virtual std::optional<Rows> next() = 0;
  // Appends the position after the rows that next() returned last. If these were cut, it is a position before the
  // damaged row, perhaps before these rows, so a restored stream comes to the damaged row again. Unspecified if results
  // are unordered (AheadLimits).
  virtual void save(StateWriter& state) const = 0;
  // Continues from a position that save() of an equal stream has appended: the next next() returns what follows it.
  // Call this before the first next(). Throws an Error if it can tell that the state is not of such a stream.
  virtual void restore(StateReader& state) = 0;
  // The number of rows of a batch; 0 if chunks have any number of rows and are not batches.
  virtual std::uint64_t batch() const { return 0; }
  // For the report: the number of bytes, inflated, that a source's calls of next() have consumed of its files; 0 if
  // unknown.
  virtual std::uint64_t passed_bytes() const { return 0; }
};

using StreamPtr = std::unique_ptr<Stream>;

// Returns nullopt if `rows` has neither rows nor lost rows and is no batch, as next() does at the end. Otherwise
// returns `rows`.
inline std::optional<Rows> unless_empty(Rows rows) {
  const bool is_end = rows.count == 0 && rows.lost.empty() && !rows.is_batch;
  return is_end ? std::nullopt : std::optional(std::move(rows));
}

// A function that opens the stream of an epoch, at its beginning. Never returns null. Each call returns a new stream.
using OpenStream = std::function<StreamPtr(std::uint64_t epoch)>;

}  // namespace carrack::data
