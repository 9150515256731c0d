// Writes records to one or more files of about the same size, each with a contiguous part of the records, and a file of
// column names next to each. Interrupts are deferred (terminal.h) once the first file is begun. Complete files remain
// unless remove_written() is called. `storage` must outlive the writer. For one thread.
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
    // The expected size in bytes of the frames of all records. Ignored if there is one name.
    std::uint64_t frame_bytes = 0;
    bool replace = false;           // replaces existing files of these names
    unsigned threads = 1;           // the number of threads that encode one file
    std::string column_names = {};  // the text of each file of column names; empty: none is written
  };

  ShardWriter(Storage& storage, Output output, Plan plan);

  // write() and finish() throw Refused if a file exists that may not be replaced, and Error if a file cannot be
  // written. After an exception call only remove_written().
  void write(std::span<const std::byte> record);
  // Commits the current file, and writes the remaining files without records. Call it once, after the last write().
  void finish();
  // Removes the files that were written; files that they have replaced are lost. Call it after a failure, so that no
  // reader mistakes a part of the set for the whole set.
  void remove_written();

 private:
  void open();
  void commit();
  void write_column_names(const std::string& name);

  Storage& storage_;
  const Output output_;
  const Plan plan_;
  std::uint64_t written_bytes_ = 0;  // the size of the frames of all records so far
  std::size_t committed_ = 0;
  std::unique_ptr<RecordSink> sink_;  // writes names[committed_]; nullptr if it is not open
};

}  // namespace carrack::data::cli
