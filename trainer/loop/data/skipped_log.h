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

// Where the damage is and what is wrong, in at most 512 printable bytes.
std::string place_text(const data::Corrupt& damage);

// Logs where the first 10 records are that are left out, each record once. Not thread-safe.
class SkippedLog {
 public:
  explicit SkippedLog(std::function<void(const std::string&)> log) : log_(std::move(log)) {}

  void add(std::span<const data::Lost> lost);

 private:
  const std::function<void(const std::string&)> log_;
  std::set<std::pair<std::string, std::uint64_t>> logged_;  // file and number of the record
};

}  // namespace carrack::train
