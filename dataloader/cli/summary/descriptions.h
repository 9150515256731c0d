// Short descriptions of files, records and features, for the reports and messages of `carrack data`, and for those of
// `carrack validate` and `run` about files. The comments show examples of the results. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dataloader/cli/summary/file_survey.h"
#include "dataloader/cli/summary/summary.h"

namespace carrack::data::cli {

// "TFRecord", "TFRecord, GZIP", "empty". For a file that holds something else: its other_format, such as "a Parquet
// file", or a sentence that it is a pointer of Git LFS.
std::string describe_kind(const FileSurvey& file);
// "`carrack data convert x.csv --to x.tfrecord`". The name must have the ending of CSV, JSON lines or arrays; this is
// not checked.
std::string convert_command(const std::string& file_name);
// "x.csv: holds no records: text; `carrack data convert ...` makes records of it", with that command if the file can be
// converted. Only for a file for which holds_records() is false.
std::string no_records_message(const FileSurvey& file);
// "20 records"; for a file that was not read to its end "about 20,000 records", or "at least 1,000 records" if there is
// no estimate.
std::string describe_record_count(const FileSurvey& file);
// "22 bytes each", "22 to 40 bytes each, median 30"; empty if no number was added to `sizes`.
std::string describe_record_sizes(const Range& sizes, double median);
// "x.tfrecord: record 3 at byte 4096: the data does not match its checksum". With a line: "x.csv: row 3 (line 5) at
// byte 96: ..."
std::string fault_text(const Corrupt& fault, std::optional<std::uint64_t> line = {});
// fault_text(), followed by "; 38 bytes lost".
std::string describe_fault(const Corrupt& fault, std::optional<std::uint64_t> line = {});
// "2 damaged spans, 76 bytes lost".
std::string describe_damage(std::uint64_t damaged_spans, std::uint64_t lost_bytes);
// "1.2 GB in 2.9 s, 410.0 MB/s".
std::string describe_throughput(std::uint64_t bytes, double seconds);
// "tf.Example", or how many records have each message type: "5 tf.Example, 2 tf.SequenceExample". `summary` must have a
// record.
std::string describe_messages(const Summary& summary);

// "float32"; "bytes or int64" for a feature of several types; "none" for a feature list that has no values in any
// record.
std::string describe_type(const FeatureSummary& feature);
// The number of values in a record: "1", "3 to 9"; of a feature list "2 to 5 steps of 3".
std::string describe_value_count(const FeatureSummary& feature);
// "-1.2 to 3.4, mean 0.1, 3 NaN"; "JPEG 500x375, 20,000 bytes"; "text of 3 to 12 bytes". Empty if there are no values.
std::string describe_contents(const FeatureSummary& feature);

}  // namespace carrack::data::cli
