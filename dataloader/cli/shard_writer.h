// Writes records to a sequence of files, each with the names of its columns beside it. Each file gets a contiguous part
// of the records, all of about the same size.
// From the first file on interrupts are deferred (terminal.h). Files that are complete stay unless remove_written() is
// called. For one thread.
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
    std::uint64_t frame_bytes = 0;   // expected in all; not used for a single file
    bool replace = false;            // files that exist under these names
    unsigned threads = 1;            // that encode one file
    std::string column_names = {};   // the text of a file of names for each; empty for none
  };

  ShardWriter(Storage& storage, Output output, Plan plan);

  // This and finish() throw Refused if a file exists that may not be replaced.
  void write(std::span<const std::byte> record);
  // Commits the current file and writes the remaining ones without records. The last call.
  void finish();
  // Removes the files that were written, so that a part of a set is not mistaken for all of it.
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
  std::unique_ptr<RecordSink> sink_;  // of names[committed_]; nullptr if it is not open
};

}  // namespace carrack::data::cli
