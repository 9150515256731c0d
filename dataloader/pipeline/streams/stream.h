// Rows, or batches, that come one chunk after the other, and a position in them that can be saved. A pipeline that is
// opened again can restore the position. Streams are used by one thread at a time.
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

  // The next rows, or the next batch; nullopt at the end. A result may have no rows and only report lost ones. With
  // OnDamage::stop one that is cut (Rows::is_cut) is the last: do not call next() again.
  virtual std::optional<Rows> next() = 0;
  // Appends the position after the rows that next() returned last, or any before the damaged place if those were cut: a
  // restored stream comes to that place again. Undefined if results come unordered (AheadLimits).
  virtual void save(StateWriter& state) const = 0;
  // Call before the first next().
  virtual void restore(StateReader& state) = 0;
  // The rows of a batch; 0 if chunks are no batches but any number of rows.
  virtual std::uint64_t batch() const { return 0; }
  // Of a source: how many bytes of its files the calls of next() have passed, inflated; 0 if it does not know.
  virtual std::uint64_t passed_bytes() const { return 0; }
};

using StreamPtr = std::unique_ptr<Stream>;

// What next() returns where these are all the rows that came: nullopt if there are none, and none was lost either.
inline std::optional<Rows> unless_empty(Rows rows) {
  return rows.count == 0 && rows.lost.empty() ? std::nullopt : std::optional(std::move(rows));
}

// Opens an epoch's stream, from its beginning.
using OpenStream = std::function<StreamPtr(std::uint64_t epoch)>;

}  // namespace carrack::data
