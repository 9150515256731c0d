// The bytes of a file from its beginning to its end, inflated where it is compressed, which its first bytes tell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "dataloader/records/byte_source.h"
#include "dataloader/records/compression.h"
#include "dataloader/records/corrupt.h"

namespace carrack::data {

class ByteStream {
 public:
  // Why nothing more comes, besides that the file ends.
  struct Problem {
    Fault fault;
    std::string what;
  };
  static constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();

  // The file must outlive it. A compression that is named is the one it must have. What is compressed is read in pieces
  // of this size.
  ByteStream(const ByteSource& file, std::optional<Compression> named, std::size_t piece)
      : file_(file), named_(named), piece_(piece) {}

  // Fills `into`, or its front up to the end or a problem; the first time it has room for `first_bytes` at least.
  std::size_t read(std::span<std::byte> into);

  // How many bytes are still to come, or unknown: those of a compressed file until it has ended.
  std::uint64_t left() const;
  const std::optional<Problem>& problem() const { return problem_; }
  bool inflates() const { return inflater_.has_value(); }
  // From now on it has ended, without a problem.
  void close();

 private:
  std::size_t open(std::span<std::byte> into);
  std::size_t read_as_it_is(std::span<std::byte> into);
  std::size_t read_file(std::span<std::byte> into);
  std::size_t inflate(std::span<std::byte> into);
  bool take_piece();

  const ByteSource& file_;
  const std::optional<Compression> named_;
  const std::size_t piece_;
  std::uint64_t at_ = 0;  // in the file
  bool opened_ = false;
  bool ended_ = false;  // Nothing more is inflated.
  std::optional<Problem> problem_;
  std::optional<Inflater> inflater_;
  std::unique_ptr<std::byte[]> memory_;  // of a piece
  std::span<const std::byte> input_;     // what of it is not inflated yet
};

}  // namespace carrack::data
