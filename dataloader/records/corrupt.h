// Corrupt: the report of one record, row or part of an input file (TFRecord, CSV, JSON lines, .npy) that cannot be
// used: what is wrong, and where. Readers return it as a value, for example as an alternative of the std::variant of
// their next(); they do not throw it. Their callers stop with an error or, with OnDamage::skip, count most faults and
// continue; OnDamage names the others.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace carrack::data {

enum class Fault {
  bad_length,      // a record's length does not match its checksum; the next record is searched for
  too_long,        // a record or row is above the limit; the next record is searched for, but rows end here
  bad_data,        // a record's data does not match its checksum, and the next record follows it; or a whole member of
                   // an archive does not match its checksum or size, and nothing follows
  truncated,       // the file ends within a record, row, array or compressed data
  bad_example,     // the record is not a tf.Example, lacks requested features, or has an image or text that is unusable
  bad_row,         // the row of a CSV, JSON lines or array file is malformed, or has a value or a number of
                   // values that cannot be used
  changed,         // the file was replaced since it was opened or indexed
  wrong_kind,      // the whole file is unusable, such as one of another format or without a requested column
  program_failed,  // the program that writes the records has failed
  bad_stream,      // the compressed data is damaged; nothing after it can be read
  wrong_type,      // the row has a value of another type than requested
  no_value,        // the row lacks a value that was requested and has no default
};

// What is done about a Corrupt: an option of the pipeline, trainings and `carrack data`, with the same meaning for all.
// docs/reference/sources.md#damage. Fault::changed and Fault::wrong_kind are errors with both values.
enum class OnDamage : std::uint8_t {
  stop,  // returns all records before the damage, then fails
  skip,  // leaves out what cannot be used, counts it and reports it once; returns everything else
};

struct Corrupt {
  Fault fault;
  std::string file;
  std::uint64_t record = 0;          // number of the record or row in its file, from 0; a lost span counts as one
  std::uint64_t offset = 0;          // in the file: of the bad byte if it is known, else of the record or row
  std::uint64_t lost = 0;            // number of bytes that cannot be used, from the beginning of the record on
  std::string message;               // what is wrong, for the user; text() adds the file, record and offset
  bool inflated = false;             // the file is compressed; offset and lost count inflated bytes
  std::string_view unit = "record";  // a literal: what the file consists of, "record" or "row"

  bool operator==(const Corrupt&) const = default;
};

// Returns the Corrupt::message of a fault that needs no details. For other faults it returns "", and the reader that
// finds the fault writes the message itself.
constexpr const char* fault_text(Fault fault) {
  switch (fault) {
    case Fault::bad_length:
      return "the length does not match its checksum";
    case Fault::too_long:
      return "the record is longer than 2 GiB";
    case Fault::bad_data:
      return "the data does not match its checksum";
    case Fault::truncated:
      return "the file ends within the record";
    case Fault::changed:
      return "the file has changed since it was opened";
    case Fault::bad_example:
    case Fault::bad_row:
    case Fault::wrong_kind:
    case Fault::program_failed:
    case Fault::bad_stream:
    case Fault::wrong_type:
    case Fault::no_value:
      return "";
  }
  return "";
}

// Returns a message for the user, such as "x.tfrecord: record 3 at byte 4096: the data does not match its checksum".
inline std::string text(const Corrupt& corrupt) {
  return corrupt.file + ": " + std::string(corrupt.unit) + " " + std::to_string(corrupt.record) + " at byte " +
         std::to_string(corrupt.offset) + (corrupt.inflated ? " of the inflated data: " : ": ") + corrupt.message;
}

}  // namespace carrack::data
