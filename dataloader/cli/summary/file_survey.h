// Reads one TFRecord file, or its beginning, and finds how many records it has, how large they are, and where it is
// damaged; or that it holds something else. All commands of `carrack data`, `carrack init`, and `carrack validate`
// and `run`, which check a job's files first (data_files_check.h), use it.
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

// How much of a file to read; by default all of it.
struct SurveyLimit {
  std::uint64_t records = ~std::uint64_t{0};  // the maximum number of records that are not damaged
  // The maximum number of bytes of the file as it is stored, compressed or not. A record that this limit cuts off is
  // not reported as damage.
  std::uint64_t bytes = ~std::uint64_t{0};
  bool stop_at_damage = false;  // Reading ends after the first damaged span, which is in the result.
  // If `bytes` bytes have neither a whole record nor damage, reads more bytes until it finds one of them.
  bool at_least_one = false;
};

// What survey_file() found.
struct FileSurvey {
  // Faults beyond this number are counted, but not listed in `faults`.
  static constexpr std::size_t faults_max = 1000;

  std::string name;           // the URL of the file
  std::uint64_t bytes = 0;    // the size of the file as it is stored
  Kind kind = Kind::records;  // the kind of the file, judged by its first bytes
  std::string other_format;   // the format of a file that holds no records: "text", "a Parquet file"; otherwise empty
  std::uint64_t records = 0;  // the number of records that were read and are not damaged
  std::uint64_t frame_bytes = 0;  // the size in bytes of those records with their lengths and checksums, inflated
  bool complete = true;           // The file was read to its end.
  Range sizes;                    // the sizes of the data of those records, in bytes
  double median_size = 0;  // the median of `sizes`, in bytes; 0 without records, approximate for many (quantiles.h)
  std::vector<Corrupt> faults;  // the first faults_max damaged spans
  std::uint64_t damaged_spans = 0;
  std::uint64_t lost_bytes = 0;  // the size of the damaged spans in bytes, after inflation
  // The compressed data is damaged, so what follows could not be read. Its size is unknown, and not in lost_bytes.
  bool ends_in_damage = false;

  // False if the file seems to hold something else than TFRecords: it has no good record, and does not begin with the
  // intact length of one. True for an empty file.
  bool holds_records() const { return other_format.empty(); }
  // Returns the number of records in the whole file, extrapolated from its size; nullopt if the file is compressed, its
  // first length is damaged, or no record was read.
  std::optional<std::uint64_t> estimated_records() const;
};

// Called with each chunk of records that are not damaged, in order. The records are valid until the call returns.
using OnRecords = std::function<void(const Records&)>;

// Reads the file up to `limit`, and passes its records to `on_records`, on the calling thread; this must not be empty.
// Damage, and a file that holds something else than records, are part of the result, not errors. Throws what `file` or
// `on_records` throws.
FileSurvey survey_file(const ByteSource& file, SurveyLimit limit, const OnRecords& on_records);

}  // namespace carrack::data::cli
