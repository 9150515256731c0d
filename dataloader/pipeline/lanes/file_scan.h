// Reads a file that has no index from its beginning: returns records as they are requested, and the index once the
// whole file has been read. Earlier records can be read again at any time; in a compressed file that inflates it from
// the seek point before them. With Damage::indexed the first damage makes it build the index of the whole file at once.
// For one thread at a time.
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
    std::uint64_t record = 0;  // its number in the file
    std::uint64_t offset = 0;  // of the frame in the file
    Range range;               // of the frame in `bytes`
    std::size_t file = 0;      // set by the caller of FileScan
  };
  Bytes bytes;
  std::vector<Frame> frames;
  std::vector<Lost> lost;  // the damaged ones of the requested records

  std::uint64_t requested() const { return frames.size() + lost.size(); }
};

// Appends a range of records with one read. `extent` returns where each record lies. Damaged records are added to
// `lost`. Returns a fault if the file has changed, otherwise nullopt.
std::optional<Corrupt> read_frames(const ByteSource& file, Range records,
                                   const std::function<Index::Extent(std::uint64_t)>& extent, Frames& to);

class FileScan {
 public:
  // The file must outlive this object. `damage` says what to do where the file is damaged.
  FileScan(const ByteSource& file, Damage damage) : file_(file), damage_(damage), reader_(std::in_place, file) {}

  // Appends those records of the range that the file has, and reads the file as far as they reach. A compressed file is
  // read up to one record further, to find its end. Returns the first fault that ends the reading: with Damage::refused
  // any fault, otherwise only that of a file that has changed or is of another kind.
  std::optional<Corrupt> read(Range records, Frames& to);
  // The index of the file; nullopt until it is known. It is known once all of the file has been read, or from the first
  // damage on with Damage::indexed.
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
  bool inflating_ended_ = false;                // all records of the compressed file were read
  std::span<const Record> ahead_;               // records that were read and not passed yet
  std::vector<std::uint64_t> offsets_;          // of the records that were passed
  std::uint64_t end_ = 0;                       // where the last of them ends in the file
  std::uint32_t contents_ = 0;                  // their checksum, as in Index::contents()
  std::optional<Index> index_;                  // set once damage was found
};

}  // namespace carrack::data
