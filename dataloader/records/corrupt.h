// A place in a file that does not hold what it should. It is a value: the caller skips it, counts it or stops.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace carrack::data {

enum class Fault {
  bad_length,      // A record's length does not match its checksum, and the next one has to be sought.
  too_long,        // A record says that it is longer than any that is read, and the next one has to be sought.
  bad_data,        // A record's data does not match its checksum; the next record is where its length says.
  truncated,       // The file ends within a record.
  bad_example,     // The record holds no tf.Example, or not the features that were asked for.
  bad_row,         // The row holds something else than was asked for, or is none.
  changed,         // The file is no longer the one that was opened or indexed.
  wrong_kind,      // The file is of another kind than was said, compressed in another way, or lacks what was asked for.
  program_failed,  // The program that writes the records has failed.
  bad_stream,      // The compressed data is damaged, and nothing comes behind that.
  wrong_type,      // The row holds a value that is none of the type that was asked for, but may be one of another.
};

struct Corrupt {
  Fault fault;
  std::string file;
  std::uint64_t record = 0;  // counted from 0 in its file
  std::uint64_t offset = 0;  // in the file, of the first byte at fault
  std::uint64_t lost = 0;    // bytes of the file that cannot be used, from the record's beginning
  std::string message;
  bool inflated = false;             // The file is compressed, and offset and lost count the inflated bytes.
  std::string_view unit = "record";  // What the file holds, in the words of its format.

  bool operator==(const Corrupt&) const = default;
};

// What a fault of a frame is called; an Example's is told by its parser.
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
    case Fault::bad_example:
      return "it is no tf.Example";
    case Fault::bad_row:
      return "it is no row";
    case Fault::changed:
      return "the file has changed since it was opened";
    case Fault::wrong_kind:
      return "it is no file of records";
    case Fault::program_failed:
      return "the program that writes it has failed";
    case Fault::bad_stream:
      return "the compressed data is damaged";
    case Fault::wrong_type:
      return "it holds a value of another type";
  }
  return "";
}

// "x.tfrecord: record 3 at byte 4096: the data does not match its checksum"
inline std::string text(const Corrupt& corrupt) {
  return corrupt.file + ": " + std::string(corrupt.unit) + " " + std::to_string(corrupt.record) + " at byte " +
         std::to_string(corrupt.offset) + (corrupt.inflated ? " of the inflated data: " : ": ") + corrupt.message;
}

}  // namespace carrack::data
