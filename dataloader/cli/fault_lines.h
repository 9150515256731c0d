// Makes the messages of `carrack data convert` about rows of CSV and JSON lines that cannot be used. They have the
// number of the line in which the row begins, as editors count lines, so that users find it. Not thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "dataloader/cli/inputs.h"
#include "dataloader/records/byte_source.h"
#include "dataloader/sources/row_lines.h"
#include "dataloader/storage/storages.h"

namespace carrack::data::cli {

class FaultLines {
 public:
  // Both arguments must outlive this object.
  FaultLines(const Storages& storages, const Inputs& inputs) : storages_(storages), inputs_(inputs) {}

  // Returns describe_fault() with the line: "x.csv: row 3 (line 5) at byte 96: column "a" is empty; 7 bytes lost".
  // Leaves out the line if the input is not CSV or JSON lines. To count lines it reads the file up to the row: from the
  // beginning, or, if the last described row is not after it in the same file, from that row on. So describe faults in
  // order. Throws Error if the file cannot be read.
  std::string describe(const Corrupt& fault);

 private:
  std::optional<std::uint64_t> line_of(const Corrupt& fault);

  const Storages& storages_;
  const Inputs& inputs_;
  std::optional<StoredObject> file_;
  std::unique_ptr<RowLines> lines_;  // the lines of file_; nullptr before the first fault
  std::uint64_t row_ = 0;            // the last row whose line was searched for
};

}  // namespace carrack::data::cli
