// The writing half of `carrack data convert`. Writes records to one or more files of about the same size, such as
// x-00000-of-00010.tfrecord and so on. Each file has consecutive records. A file of column names can be written next to
// each.
//
// Each file becomes visible when it is complete, one after the other, and remains unless remove_written() is called. So
// after a failure call remove_written(); the destructor does not. Once the first file is begun, interrupts are deferred
// (terminal.h), so that the caller can do this. `storage` must outlive the writer. For one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dataloader/cli/output.h"
#include "dataloader/storage/storage.h"

namespace carrack::data::cli {

class ShardWriter {
 public:
  struct Plan {
    std::vector<std::string> names;  // the names of the files, in order; at least one
    // The expected size in bytes of all records as a TFRecord file stores them, with lengths and checksums. The next
    // file begins when the files so far have their share of it. Not used if there is one name.
    std::uint64_t frame_bytes = 0;
    bool replace = false;           // replaces existing files of these names; false: throws Refused if one exists
    unsigned threads = 1;           // the number of threads that encode one file
    std::string column_names = {};  // the content of each file of column names; empty: no such file is written
  };

  ShardWriter(Storage& storage, Output output, Plan plan);

  // write() and finish() throw Refused if a file exists that may not be replaced, and Error if a file cannot be
  // written. After an exception call only remove_written().
  void write(std::span<const std::byte> record);
  // Makes the current file visible, and writes the remaining files without records. Call it once, after the last
  // write().
  void finish();
  // Removes the files that were written; files that they have replaced are lost. Otherwise a reader could mistake a
  // part of the set for the whole set. Throws Error if the storage fails.
  void remove_written();

 private:
  void open();
  void commit();
  void write_column_names(const std::string& name);

  Storage& storage_;
  const Output output_;
  const Plan plan_;
  std::uint64_t written_bytes_ = 0;   // the size of all records so far, counted as Plan::frame_bytes
  std::size_t committed_ = 0;         // the number of files that were written
  std::size_t column_files_ = 0;      // the number of files of column names that were written
  std::unique_ptr<RecordSink> sink_;  // writes names[committed_]; nullptr if it is not open
};

}  // namespace carrack::data::cli
