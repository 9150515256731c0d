// Reads a file that has no index from its beginning: records as far as they are requested, and at its end the index.
// Records that were passed before can be read again at once; of a compressed file, from the seek point before them. A
// file that is read with Damage::indexed has its index from the first damage on. For one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dataloader/order/order.h"
#include "dataloader/pipeline/sequences/sequence.h"
#include "dataloader/records/byte_source.h"
#include "dataloader/records/corrupt.h"
#include "dataloader/records/index.h"
#include "dataloader/records/record_reader.h"
#include "dataloader/records/seek_point_stream.h"

namespace carrack::data {

// Records with their frames, whose checksums were verified.
struct Frames {
  struct Frame {
    std::uint64_t record = 0;  // its number in the file
    std::uint64_t offset = 0;  // in the file
    Range range;               // of `bytes`
    std::size_t file = 0;      // set by the caller
  };
  Bytes bytes;
  std::vector<Frame> frames;
  std::vector<Lost> lost;  // the damaged records among those that were requested, and the faults of their frames

  std::uint64_t requested() const { return frames.size() + lost.size(); }
};

// Appends a range of records, each of which lies at its `extent`, with one read. Damaged ones are lost. Returns a fault
// if the file has changed.
std::optional<Corrupt> read_frames(const ByteSource& file, Range records,
                                   const std::function<Index::Extent(std::uint64_t)>& extent, Frames& to);

class FileScan {
 public:
  // The file must outlive it.
  FileScan(const ByteSource& file, Damage damage) : file_(file), damage_(damage), reader_(std::in_place, file) {}

  // Appends a range of records, those that the file has, and reads on as far as they reach; of a compressed file up to
  // one record more, to find its end. Returns the first fault that ends the reading: with Damage::refused any, else
  // only that of a file that has changed or is of another kind.
  std::optional<Corrupt> read(Range records, Frames& to);
  // The index of the file; nullopt until all of it has been read.
  std::optional<Index> index() const;

 private:
  std::optional<Corrupt> read_more();
  std::optional<Corrupt> read_passed(Range records, Frames& to) const;
  std::optional<Corrupt> read_indexed(Range records, Frames& to) const;
  std::unique_ptr<const ByteSource> inflated_by(std::shared_ptr<const SeekPoints> points, std::uint64_t size) const;
  std::optional<Corrupt> begin_inflating();
  Corrupt changed() const;
  void pass_record(const Record& record, Frames* to);
  bool ended() const { return inflating_ != nullptr ? inflating_ended_ : end_ == file_.stat().size; }

  const ByteSource& file_;
  const Damage damage_;
  std::optional<RecordReader> reader_;
  const SeekPointStream* inflating_ = nullptr;  // that of reader_, if the file is compressed
  bool inflating_ended_ = false;                // All its records were read.
  std::span<const Record> ahead_;               // records that were read and not passed yet
  std::vector<std::uint64_t> offsets_;          // of the records that were passed
  std::uint64_t end_ = 0;                       // of the last of them, in the file
  std::uint32_t contents_ = 0;                  // their checksum, as in an index
  std::optional<Index> index_;                  // once damage was found
};

}  // namespace carrack::data
