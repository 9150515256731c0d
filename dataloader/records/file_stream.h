// FileStream: the ByteStream of a file, for the readers of TFRecord, CSV and JSON lines files. It reads the file from
// its beginning to its end, and inflates (decompresses) a GZIP or ZLIB file, which it recognizes by the first bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "dataloader/records/byte_source.h"
#include "dataloader/records/byte_stream.h"
#include "dataloader/records/compression.h"
#include "dataloader/records/inflater.h"

namespace carrack::data {

class FileStream final : public ByteStream {
 public:
  // What the inflated file contains: TFRecord records, or text. For text only GZIP is recognized, as plain text may
  // begin like ZLIB.
  enum class Content { records, text };

  // `file` must outlive the stream. `named` is the compression that the user has named; nullopt: any. If the file has
  // another compression, that is a problem(); a file of an unknown kind counts as not compressed. A pointer of Git LFS
  // is always a problem(). Compressed files are read in pieces of `piece` bytes, which must not be 0.
  FileStream(const ByteSource& file, Content content, std::optional<Compression> named, std::size_t piece)
      : file_(file), content_(content), named_(named), piece_(piece) {}

  // Throws Error if the storage fails; do not read the stream again after that. If the file is damaged or has changed,
  // read() does not throw: the stream ends with a problem().
  std::size_t read(std::span<std::byte> into) override;
  // `unknown` before the first read, and for a compressed file until it has ended.
  std::uint64_t left() const override;
  const std::optional<Problem>& problem() const override { return problem_; }
  bool inflates() const override { return inflater_.has_value(); }
  Seek resume() const override { return inflates() ? Seek::by_reading_again : Seek::at_once; }
  void close() override;

  // Makes the next read() begin at `offset` of the file, or at the end if `offset` is beyond it. Call it only after the
  // first read(), and only if inflates() is false. From then on the storage does not read ahead.
  void go_to(std::uint64_t offset);

 private:
  std::size_t open(std::span<std::byte> into);
  std::size_t read_as_it_is(std::span<std::byte> into);
  std::size_t read_file(std::span<std::byte> into);
  ReadResult read_on(std::span<std::byte> into);
  std::size_t inflate(std::span<std::byte> into);
  bool take_piece();

  const ByteSource& file_;
  const Content content_;
  const std::optional<Compression> named_;
  const std::size_t piece_;
  std::unique_ptr<ObjectReader> reader_;  // made by the first read, removed by go_to() and close()
  std::uint64_t at_ = 0;                  // the offset in the file of the next read
  bool has_moved_ = false;                // go_to() was called
  bool opened_ = false;
  bool ended_ = false;  // no more can be inflated
  std::optional<Problem> problem_;
  std::optional<Inflater> inflater_;     // set if the file is compressed
  std::unique_ptr<std::byte[]> memory_;  // a piece of compressed bytes
  std::span<const std::byte> input_;     // the part of memory_ that is not inflated yet
};

}  // namespace carrack::data
