// Reads a file that has no index from front to back: returns records as they are requested, and the index once the
// whole file was read. Earlier records can be read again at any time; in a compressed file that inflates it from the
// previous seek point. With Damage::indexed the first damage makes it index the whole file immediately. Not
// thread-safe.
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

// Records with their frames. Their checksums have been verified.
struct Frames {
  struct Frame {
    std::uint64_t record = 0;  // number of the record in the file
    std::uint64_t offset = 0;  // of the frame in the file
    Range range;               // of the frame in `bytes`
    std::size_t file = 0;      // not set by FileScan; for its caller
  };
  Bytes bytes;
  std::vector<Frame> frames;
  std::vector<Lost> lost;  // the requested records that are damaged; indexes count all requested records

  // The number of records that were appended or are lost.
  std::uint64_t requested() const { return frames.size() + lost.size(); }
};

// Appends a range of records, read in one read. `extent` returns where a record is in the file; it is called only
// within this call. Damaged records are added to `lost`. Returns a fault if the file has changed, otherwise nullopt.
// Throws an Error if storage fails.
std::optional<Corrupt> read_frames(const ByteSource& file, Range records,
                                   const std::function<Index::Extent(std::uint64_t)>& extent, Frames& to);

class FileScan {
 public:
  // The file must outlive this object. `damage` says what to do where the file is damaged.
  FileScan(const ByteSource& file, Damage damage) : file_(file), damage_(damage), reader_(std::in_place, file) {}

  // Appends the records of the range that the file has, and reads the file up to their end. A compressed file is read
  // up to one record further, to find its end. Returns a fault if it ends the reading: with Damage::refused any fault,
  // otherwise only the fault of a file that has changed or is of another kind. Throws an Error if storage fails.
  std::optional<Corrupt> read(Range records, Frames& to);
  // The index of the file; nullopt until it is known. It is known once the whole file was read or, with
  // Damage::indexed, once damage was found.
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
  const SeekPointStream* inflating_ = nullptr;  // the stream of reader_; nullptr if the file is not compressed
  bool inflating_ended_ = false;                // All records of the compressed file were read.
  std::span<const Record> ahead_;               // records that reader_ has read and that were not passed yet
  std::vector<std::uint64_t> offsets_;          // of the records that pass_record() has got
  std::uint64_t end_ = 0;                       // where the last of them ends in the file
  std::uint32_t contents_ = 0;                  // their checksum, as in Index::contents()
  std::optional<Index> index_;                  // set once damage was found
};

}  // namespace carrack::data
