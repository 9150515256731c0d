// A file without an index, gone through from its beginning: its records as far as they are wanted, and its index at its
// end. What was passed once is found again at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dataloader/order/order.h"
#include "dataloader/records/byte_source.h"
#include "dataloader/records/corrupt.h"
#include "dataloader/records/index.h"
#include "dataloader/records/record_reader.h"

namespace carrack::data {

// Records as they stand in their files, whole and with the checksums that they should have.
struct Frames {
  struct One {
    std::uint64_t record = 0;  // of its file
    std::uint64_t offset = 0;  // in it
    Range at;                  // in `bytes`
    std::size_t file = 0;      // as whoever gathers them counts
  };
  Bytes bytes;
  std::vector<One> all;
};

// Appends those of `records`, of which each is where `extent` says, in one read.
std::optional<Corrupt> read_frames(const ByteSource& file, Range records,
                                   const std::function<Index::Extent(std::uint64_t)>& extent, Frames& to);

class FileWalk {
 public:
  explicit FileWalk(const ByteSource& file) : file_(file), reader_(file) {}

  // Appends as many of `records` as there are.
  std::optional<Corrupt> take(Range records, Frames& to);
  // Nothing before its end.
  std::optional<Index> index() const;

 private:
  std::optional<Corrupt> read_on();
  void pass(const Record& record, Frames* to);
  bool ended() const { return end_ == file_.stat().size; }

  const ByteSource& file_;
  RecordReader reader_;
  std::span<const Record> ahead_;       // what was read and not passed yet
  std::vector<std::uint64_t> offsets_;  // of what was passed
  std::uint64_t end_ = 0;               // of that
  std::uint32_t contents_ = 0;
};

}  // namespace carrack::data
