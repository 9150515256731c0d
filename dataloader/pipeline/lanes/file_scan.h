// FileScan: reads the records of a TFRecord file that has no index, for a first pass (the first epoch of a job that
// starts before its data is indexed). It reads the file from front to back as records are requested, and has the file's
// index once it has come to the end. Earlier records can be read again at any time; in a compressed file that inflates
// again from the seek point before them. Not thread-safe.
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

// Records that were read. A frame is a record as it is in the file: length, data and checksums. The checksums have been
// verified. Frames of several files can be appended, in the order of the requests.
struct Frames {
  struct Frame {
    std::uint64_t record = 0;  // number of the record in the file
    std::uint64_t offset = 0;  // of the frame in the file; in the inflated bytes if the file is compressed
    Range range;               // of the frame in `bytes`
    std::size_t file = 0;      // not set by FileScan; for its caller
  };
  Bytes bytes;
  std::vector<Frame> frames;
  std::vector<Lost> lost;  // the requested records that are damaged; indexes count all requested records

  // The number of records that were appended or are lost.
  std::uint64_t requested() const { return frames.size() + lost.size(); }
};

// Reads a range of records with one read, and appends them to `to`. `extent` returns where a record is in the file; it
// is called only within this call. Damaged records are added to to.lost. Returns nullopt if this has succeeded, and a
// fault if the file has changed. Throws an Error if storage fails.
std::optional<Corrupt> read_frames(const ByteSource& file, Range records,
                                   const std::function<Index::Extent(std::uint64_t)>& extent, Frames& to);

class FileScan {
 public:
  // The file must outlive this object. `damage` says what read() does where the file is damaged: `refused` returns the
  // fault; `indexed` indexes the whole file immediately, and from then on reads by that index, so that the damaged
  // records are in Frames::lost. With both, a record that was good and is damaged when it is read again is in
  // Frames::lost.
  FileScan(const ByteSource& file, DamagedFile damage) : file_(file), damage_(damage), reader_(std::in_place, file) {}

  // Appends the requested records to `to`, and reads the file up to their end. If the file ends before the range does,
  // appends fewer records. A compressed file is read up to one record further, to find its end. Returns nullopt if this
  // has succeeded, and a fault if it ends the reading: with DamagedFile::refused any fault that is not in to.lost,
  // otherwise only the fault of a file that has changed or cannot be indexed (build_index() in index.h). Throws an
  // Error if storage fails. Calls `goes_on` after each piece of the file that it reads for the first time.
  std::optional<Corrupt> read(
      Range records, Frames& to, const std::function<void()>& goes_on = [] {});
  // Returns the index of the file; nullopt until it is known. It is known once the whole file was read or, with
  // DamagedFile::indexed, once damage was found.
  std::optional<Index> index() const;

 private:
  std::optional<Corrupt> read_more(const std::function<void()>& goes_on);
  std::optional<Corrupt> read_passed(Range records, Frames& to) const;
  std::optional<Corrupt> read_indexed(Range records, Frames& to) const;
  std::unique_ptr<const ByteSource> inflated_by(std::shared_ptr<const SeekPoints> points, std::uint64_t size) const;
  std::optional<Corrupt> begin_inflating();
  Corrupt changed() const;
  void pass_record(const Record& record, Frames* to);
  bool ended() const { return inflating_ != nullptr ? inflating_ended_ : end_ == file_.stat().size; }

  const ByteSource& file_;
  const DamagedFile damage_;
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
