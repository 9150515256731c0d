// Reads one file, or the beginning of it, and says what it is, what its records are like and where it is damaged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dataloader/cli/summary/summary.h"
#include "dataloader/records/byte_source.h"
#include "dataloader/records/first_bytes.h"
#include "dataloader/records/record_reader.h"

namespace carrack::data::cli {

// How much of a file is read; by default all of it.
struct SurveyLimit {
  std::uint64_t records = ~std::uint64_t{0};  // that are not damaged
  // Of the file as it is stored, compressed or not. A record that is cut off here is not reported as damage.
  std::uint64_t bytes = ~std::uint64_t{0};
  bool stop_at_damage = false;  // Stop at the first damaged span.
};

struct FileSurvey {
  // Faults beyond this number are only counted.
  static constexpr std::size_t faults_max = 1000;

  std::string name;
  std::uint64_t bytes = 0;        // the size of the file
  Kind kind = Kind::records;      // whether it is compressed, by its first bytes
  std::string guessed_format;     // of a file that holds no records: "text", "a Parquet file"; otherwise empty
  std::uint64_t records = 0;      // that were read
  std::uint64_t frame_bytes = 0;  // of the frames of those records, inflated
  bool complete = true;           // The file was read to its end.
  Range sizes;                    // of the records' data, in bytes
  double median_size = 0;         // approximate for many records (quantiles.h)
  std::vector<Corrupt> faults;    // the first faults_max of them
  std::uint64_t damaged_spans = 0;
  std::uint64_t lost_bytes = 0;  // in the damaged spans; inflated if the file is compressed

  // True if the file holds records, damaged ones included, and also if it is empty.
  bool holds_records() const { return guessed_format.empty(); }
  // The number of records in all of the file, extrapolated from its size. nullopt if the file is compressed or nothing
  // was read.
  std::optional<std::uint64_t> estimated_records() const;
};

// Is called with each chunk of good records, in order; they are valid until it returns.
using OnRecords = std::function<void(const Records&)>;

// Damage is reported in the result and never throws. Throws what reading the file, or on_records, throws.
FileSurvey survey_file(const ByteSource& file, SurveyLimit limit, const OnRecords& on_records);

}  // namespace carrack::data::cli
