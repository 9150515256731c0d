// Describes faults of rows of text with the line in which each row begins, as editors and people count.
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
  // Both must outlive this.
  FaultLines(const Storages& storages, const Inputs& inputs) : storages_(storages), inputs_(inputs) {}

  // As describe_fault(): "x.csv: row 3 (line 5) at byte 96: column "a" is empty; 7 bytes lost", of a row of CSV or JSON
  // lines; of others without the line. It reads the file up to the row.
  std::string describe(const Corrupt& fault);

 private:
  std::optional<std::uint64_t> line_of(const Corrupt& fault);

  const Storages& storages_;
  const Inputs& inputs_;
  std::optional<StoredObject> file_;
  std::unique_ptr<RowLines> lines_;  // of that file; nullptr before the first fault
  std::uint64_t row_ = 0;            // that was looked for last
};

}  // namespace carrack::data::cli
