// One look at one file: what it is, what was read of it, and what is damaged there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dataloader/cli/summary.h"
#include "dataloader/records/byte_source.h"
#include "dataloader/records/first_bytes.h"
#include "dataloader/records/record_reader.h"

namespace carrack::data::cli {

// How much of a file is looked at; by default all of it.
struct Front {
  std::uint64_t records = ~std::uint64_t{0};
  std::uint64_t bytes = ~std::uint64_t{0};  // of the file as it lies in storage
  bool ends_with_damage = false;            // Nothing is read behind the first damaged place.
};

struct FileLook {
  // Of more faults than this the others are only counted.
  static constexpr std::size_t most_faults = 1000;

  std::string name;
  std::uint64_t bytes = 0;
  Kind kind = Kind::records;
  std::string looks;          // of a file that is none of records, what it looks like
  std::uint64_t records = 0;  // that were seen
  std::uint64_t seen = 0;     // bytes of their frames
  bool whole = true;          // All of it was read.
  Range sizes;                // of the records' data
  double median_size = 0;
  std::vector<Corrupt> faults;
  std::uint64_t damaged = 0;  // how many faults there are
  std::uint64_t lost = 0;     // bytes

  // Whether it holds records at all, or none because it is empty.
  bool holds_records() const { return looks.empty(); }
  // Of a file that was not read to its end: how many records it may have, if that can be told.
  std::optional<std::uint64_t> estimated_records() const;
};

// Calls with each chunk of good records.
using Use = std::function<void(const Records&)>;

FileLook look_at(const ByteSource& file, Front front, const Use& use);

}  // namespace carrack::data::cli
