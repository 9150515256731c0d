// Skipped: how many records training has left out because they could not be used (spec.data.onDamage: skip), and which
// was the first. Workers count them in each push, parameter servers add them up, and checkpoints and /progress have the
// sum.
#pragma once

#include <cstdint>
#include <string>

#include "trainer/comm/protocol/message.pb.h"

namespace carrack::train {

struct Skipped {
  std::uint64_t records = 0;  // a record counts again in each epoch
  std::string first = {};  // the file and position of the first one, and what is wrong with it; empty if `records` is 0
  bool operator==(const Skipped&) const = default;
};

// Adds the counts of `later`. `skipped.first` changes only if it is empty.
inline void add_to(Skipped& skipped, const Skipped& later) {
  skipped.records += later.records;
  if (skipped.first.empty()) skipped.first = later.first;
}

// wire_from() and skipped_from() convert to and from the form in messages. Nothing is checked.
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
