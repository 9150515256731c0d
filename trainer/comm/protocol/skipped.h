// How many records training has left out because they could not be used (spec.data.onDamage: skip), and which was the
// first. Pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "trainer/comm/protocol/message.pb.h"

namespace carrack::train {

struct Skipped {
  std::uint64_t records = 0;  // a record counts again in each epoch
  std::string first = {};     // where the first record is and what is wrong with it; empty: no record was left out
  bool operator==(const Skipped&) const = default;
};

// Adds the counts of later steps.
inline void add_to(Skipped& skipped, const Skipped& later) {
  skipped.records += later.records;
  if (skipped.first.empty()) skipped.first = later.first;
}

inline wire::Skipped wire_from(const Skipped& skipped) {
  wire::Skipped message;
  message.set_records(skipped.records);
  message.set_first(skipped.first);
  return message;
}

inline Skipped skipped_from(const wire::Skipped& message) {
  return {message.records(), message.first()};
}

}  // namespace carrack::train
