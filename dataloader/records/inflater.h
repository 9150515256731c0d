// Inflater: decompresses GZIP, ZLIB and raw deflate data piece by piece, with the library ISA-L, which is faster than
// zlib. Several streams one after the other, such as the members of a GZIP file, inflate as one; any other bytes after
// a stream are damage. An inflater can also begin in the middle of a stream, at the end of any block of deflate, as a
// seek point needs. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "dataloader/records/compression.h"
#include "dataloader/records/stream_frame.h"

struct inflate_state;

namespace carrack::data {

class Inflater {
 public:
  struct Step {
    std::size_t taken = 0;              // number of bytes of the input that were used
    std::size_t made = 0;               // number of bytes written to the output
    std::optional<std::string> damage;  // what is wrong with the input; if set, no more can be inflated
  };
  // What an inflater needs to begin at the end of a block in the middle of a stream.
  struct Middle {
    std::span<const std::byte> window;  // the last inflated bytes before the input, at most 32 KiB
    unsigned bits = 0;                  // how many upper bits of the byte before the input belong to the next block
    unsigned value = 0;                 // the value of those bits
  };

  // `compression` must not be `none`.
  explicit Inflater(Compression compression);
  // Copies the window. Does not verify the checksum at the end of the stream in which it begins, as that also covers
  // bytes before the input. Verifies the checksums of later streams.
  Inflater(Compression compression, const Middle& middle);
  // Returns an inflater for raw deflate, RFC 1951, without header and checksum, as in ZIP files.
  static Inflater of_raw_deflate();

  // Inflates `from`, the next compressed bytes, into `into`. Stops when `from` is used up, `into` is full, or damage is
  // found. Call it again with the rest of `from` and with more bytes. The inflater stores output that does not fit in
  // `into` for the next call, so a call may write bytes and use none. Step::damage is set once all bytes before the
  // damage have been written.
  Step inflate(std::span<const std::byte> from, std::span<std::byte> into);
  // True if the input so far consists of complete streams; also true before the first byte. If it is false at the end
  // of the file, the file is truncated.
  bool at_an_end() const { return at_an_end_ && held_.empty(); }

  // About the number of bytes of memory that an inflater takes.
  static std::size_t memory_bytes();

 private:
  // What comes next in the input.
  enum class Part : std::uint8_t { header, deflated, trailer };
  struct Decoded {
    std::ptrdiff_t taken;  // bytes of the input; negative if the stream ended in bytes that were taken earlier
    std::size_t made;
    bool is_last;  // the deflated bytes of the stream end here
  };
  using State = std::unique_ptr<inflate_state, void (*)(inflate_state*)>;
  struct Raw {};

  Inflater(Compression compression, Raw);
  bool inflate_part(std::span<const std::byte> from, std::span<std::byte> into, Step& step);
  std::span<const std::byte> input_of(std::span<const std::byte> from, const Step& step) const;
  bool inflate_deflated(std::span<const std::byte> from, std::span<std::byte> into, Step& step);
  Decoded decode(std::span<const std::byte> input, std::span<std::byte> into);
  std::uint32_t room_for_ahead() const;
  void decode_again(std::span<const std::byte> input);
  std::size_t rest() const;
  void give_rest(std::span<std::byte> into, Step& step);
  void pass(std::ptrdiff_t taken, std::span<const std::byte> input, Step& step);
  void begin_stream();

  Compression compression_;  // `none` for raw deflate
  State state_;
  Part part_ = Part::header;
  StreamHeader header_;
  StreamTrailer trailer_;
  bool at_an_end_ = true;
  std::optional<std::string> damage_;     // found, but reported only after the output before it
  std::array<std::byte, 8> recent_ = {};  // the last bytes that were taken
  Bytes held_;                            // bytes that were taken too early: they come before the next input
};

}  // namespace carrack::data
