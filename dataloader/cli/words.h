// The words in which files, records and features are told of; pure.
#pragma once

#include <cstdint>
#include <string>

#include "dataloader/cli/file_look.h"
#include "dataloader/cli/summary.h"

namespace carrack::data::cli {

// "TFRecord", "TFRecord, GZIP", "empty", or what it looks like.
std::string kind_text(const FileLook& file);
// "`carrack data convert x.csv --to x.tfrecord`", of a file that is named as one of rows.
std::string conversion_of(const std::string& name);
// Of a file that holds none, and what makes some of it where that is known: "x.csv: holds no records: text; ...".
std::string no_records_text(const FileLook& file);
// "20 records", "about 20,000 records", "at least 1,000 records".
std::string records_text(const FileLook& file);
// "22 bytes each", "22 to 40 bytes each, median 30".
std::string sizes_text(const Range& sizes, double median);
// "x.tfrecord: record 3 at byte 4096: the data does not match its checksum; 38 bytes lost"
std::string fault_text(const Corrupt& fault);
// "2 damaged spans, 76 bytes lost"
std::string damage_text(std::uint64_t damaged, std::uint64_t lost);
// What the records are: "tf.Example", or how many are what.
std::string messages_text(const Summary& summary);

std::string type_text(const FeatureSummary& feature);
// "1", "3 to 9", "2 to 5 steps of 3".
std::string values_text(const FeatureSummary& feature);
// "-1.2 to 3.4, mean 0.1, 3 NaN"; "JPEG 500x375"; "text of 3 to 12 bytes".
std::string contents_text(const FeatureSummary& feature);

}  // namespace carrack::data::cli
