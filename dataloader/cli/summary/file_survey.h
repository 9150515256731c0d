// Reads one file, or its beginning, and finds what it holds, how large its records are, and where it is damaged.
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

// The part of a file that is read; by default all of it.
struct SurveyLimit {
  std::uint64_t records = ~std::uint64_t{0};  // records that are not damaged
  // Bytes of the file as it is stored, compressed or not. The record that this limit cuts off is not reported as
  // damage.
  std::uint64_t bytes = ~std::uint64_t{0};
  bool stop_at_damage = false;  // Reading ends at the first damaged span.
};

struct FileSurvey {
  // Faults beyond this number are counted, but not listed in `faults`.
  static constexpr std::size_t faults_max = 1000;

  std::string name;
  std::uint64_t bytes = 0;        // the size of the file as stored
  Kind kind = Kind::records;      // by its first bytes
  std::string other_format;       // what the file is if it holds no records: "text", "a Parquet file"; otherwise empty
  std::uint64_t records = 0;      // that were read and are not damaged
  std::uint64_t frame_bytes = 0;  // the size of the frames of those records, inflated
  bool complete = true;           // The file was read to its end.
  Range sizes;                    // of the records' data, in bytes
  double median_size = 0;         // of the records' data; approximate for many records (quantiles.h)
  std::vector<Corrupt> faults;    // the first faults_max of them
  std::uint64_t damaged_spans = 0;
  std::uint64_t lost_bytes = 0;  // the size of the damaged spans; inflated if the file is compressed

  // True if the file holds records, even if all are damaged, or is empty.
  bool holds_records() const { return other_format.empty(); }
  // The number of records in the whole file, extrapolated from its size. nullopt if the file is compressed or no record
  // was read.
  std::optional<std::uint64_t> estimated_records() const;
};

// Called with each chunk of records that are not damaged, in order. They are valid until it returns.
using OnRecords = std::function<void(const Records&)>;

// Reads the file up to `limit`. Damage, and a file that holds something else than records, are part of the result.
// Throws what `file` or `on_records` throws. `on_records` is called on the calling thread.
FileSurvey survey_file(const ByteSource& file, SurveyLimit limit, const OnRecords& on_records);

}  // namespace carrack::data::cli
