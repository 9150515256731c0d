// What a process reports about records that it leaves out (spec.data.onDamage: skip).
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "dataloader/pipeline/rows/rows.h"

namespace carrack::train {

// Returns where the damage is and what is wrong, in at most 512 bytes of printable UTF-8. The beginning of a longer
// text is replaced by "...".
std::string place_text(const data::Corrupt& damage);

// Logs the file and position of the first 10 records that are left out, each record once. Not thread-safe.
class SkippedLog {
 public:
  // `log` must not be empty. It is called on the thread that calls add().
  explicit SkippedLog(std::function<void(const std::string&)> log) : log_(std::move(log)) {}

  // Logs those of these records that are among the first 10 and were not logged before.
  void add(std::span<const data::Lost> lost);

 private:
  const std::function<void(const std::string&)> log_;
  std::set<std::pair<std::string, std::uint64_t>> logged_;  // file and number of the record
};

}  // namespace carrack::train
