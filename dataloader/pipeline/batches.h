// The records of a batch, read where they are and parsed into matrices: (position, lanes) -> Batch, at any position in
// any turn. Reading changes nothing here, so the next batch may be read while one is in use, and by another thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "dataloader/indexes/indexed_file.h"
#include "dataloader/order/order.h"
#include "dataloader/pipeline/fetch.h"
#include "dataloader/records/corrupt.h"
#include "dataloader/records/example_parser.h"

namespace carrack::data {

struct Batch {
  std::vector<Column> columns;          // one for each feature, a row for each record
  std::vector<std::uint64_t> records;   // the number of each row's record, counting through all files
  std::vector<Range> lanes;             // the rows of each lane asked for; a lane may be empty
  std::shared_ptr<std::byte[]> memory;  // what the strings of the columns lie in, but for those of defaults
};

class Batches {
 public:
  // Throws an Error where the files hold no record, or an index is that of another version of its file.
  Batches(std::vector<IndexedFile> files, std::vector<Feature> features, std::uint64_t seed, Batching batching);

  const Order& order() const { return order_; }
  // As contents_of() has it.
  const std::string& contents() const { return contents_; }
  // The rows of the lanes of one batch, or the first record of the files among them that cannot be used.
  std::variant<Batch, Corrupt> read(Position position, Range lanes) const;

 private:
  std::vector<Wanted> wanted(const std::vector<std::uint64_t>& records) const;
  std::optional<Corrupt> parse(const Wanted& record, ExampleParser& parser, std::span<Column> columns) const;
  Corrupt corrupt(const Wanted& record, Fault fault) const;

  std::vector<IndexedFile> files_;
  std::string contents_;
  bool has_strings_;
  ExampleParser parser_;
  Order order_;
  MemoryPool pool_;
};

}  // namespace carrack::data
