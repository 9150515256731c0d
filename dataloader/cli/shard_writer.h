// Writes records to one or more files of about the same size, each with a contiguous part of the records, and a file of
// column names next to each. Interrupts are deferred (terminal.h) once the first file is begun. Complete files remain
// unless remove_written() is called. For one thread.
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
    std::vector<std::string> names;  // at least one
    std::uint64_t frame_bytes = 0;   // expected size of the frames of all records; not used if there is one name
    bool replace = false;            // Existing files of these names are replaced.
    unsigned threads = 1;            // that encode one file
    std::string column_names = {};   // the text of each file of column names; empty: none is written
  };

  ShardWriter(Storage& storage, Output output, Plan plan);

  // write() and finish() throw Refused if a file exists that may not be replaced.
  void write(std::span<const std::byte> record);
  // Commits the current file, and writes the remaining files without records. Call it once, after the last write().
  void finish();
  // Removes the files that were written. Call it after a failure, so that nobody takes a part of the set for all of it.
  void remove_written();

 private:
  void open();
  void commit();
  void write_column_names(const std::string& name);

  Storage& storage_;
  const Output output_;
  const Plan plan_;
  std::uint64_t written_bytes_ = 0;  // of frames
  std::size_t committed_ = 0;
  std::unique_ptr<RecordSink> sink_;  // writes names[committed_]; nullptr if it is not open
};

}  // namespace carrack::data::cli
