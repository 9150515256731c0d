// Logs the records that a process cannot use and therefore leaves out (spec.data.onDamage: skip).
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "dataloader/pipeline/rows/rows.h"

namespace carrack::train {

// Returns in which file and where the damage is, and what is wrong, in at most 512 bytes of printable UTF-8. The
// beginning of a longer text is replaced by "...".
std::string damage_text(const data::Corrupt& damage);

// Logs the first 10 different records that are left out, each once, although each epoch leaves them out again. After
// the tenth one it logs that it logs no more. Not thread-safe.
class SkippedLog {
 public:
  // `log` must not be empty. It is called on the thread that calls add().
  explicit SkippedLog(std::function<void(const std::string&)> log) : log_(std::move(log)) {}

  // `lost` are the records that a batch has left out, which may be none. Logs a line for each record that was not
  // logged before, up to 10 in all calls together.
  void add(std::span<const data::Lost> lost);

 private:
  const std::function<void(const std::string&)> log_;
  std::set<std::pair<std::string, std::uint64_t>> logged_;  // file and number of the record
};

}  // namespace carrack::train
