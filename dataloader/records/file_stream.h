// The bytes of a file from its beginning to its end, inflated where it is compressed, which its first bytes tell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "dataloader/records/byte_source.h"
#include "dataloader/records/byte_stream.h"
#include "dataloader/records/compression.h"

namespace carrack::data {

class FileStream final : public ByteStream {
 public:
  // What the file holds once it is inflated: text is compressed as GZIP alone, and nothing else begins so.
  enum class Content { records, text };

  // The file must outlive it. A compression that is named is the one it must have. What is compressed is read in pieces
  // of this size.
  FileStream(const ByteSource& file, Content content, std::optional<Compression> named, std::size_t piece)
      : file_(file), content_(content), named_(named), piece_(piece) {}

  std::size_t read(std::span<std::byte> into) override;
  // Unknown: those of a compressed file until it has ended.
  std::uint64_t left() const override;
  const std::optional<Problem>& problem() const override { return problem_; }
  bool inflates() const override { return inflater_.has_value(); }
  Seek resume() const override { return inflates() ? Seek::by_reading_again : Seek::at_once; }
  void close() override;

  // Something was read, and it does not inflate: what comes next are the bytes from here on.
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
  std::unique_ptr<ObjectReader> reader_;  // once there is something to read
  std::uint64_t at_ = 0;                  // in the file
  bool has_gone_ = false;                 // to where it was told to
  bool opened_ = false;
  bool ended_ = false;  // Nothing more is inflated.
  std::optional<Problem> problem_;
  std::optional<Inflater> inflater_;
  std::unique_ptr<std::byte[]> memory_;  // of a piece
  std::span<const std::byte> input_;     // what of it is not inflated yet
};

}  // namespace carrack::data
