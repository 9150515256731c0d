// Inflates GZIP, ZLIB and raw deflate, with ISA-L. Consecutive compressed streams inflate as one. It can also begin in
// the middle of a stream, at the end of any block of deflate.
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
    std::size_t taken = 0;              // bytes of the input
    std::size_t made = 0;               // bytes of the output
    std::optional<std::string> damage;  // inflating ends with it
  };
  // What is needed to go on at the end of a block in the middle of a stream.
  struct Middle {
    std::span<const std::byte> window;  // the inflated bytes before it, the last 32 KiB of them at most
    unsigned bits = 0;                  // the number of upper bits of the byte before it that belong behind it
    unsigned value = 0;                 // of those bits
  };

  // `compression` must not be `none`.
  explicit Inflater(Compression compression);
  // The checksum at the end of the stream is not verified, as what it covers is not known; those of the streams behind
  // it are.
  Inflater(Compression compression, const Middle& middle);
  // For raw deflate, RFC 1951, as in ZIP: without header and checksum.
  static Inflater of_raw_deflate();

  // Inflates until all of `from` is taken and there is no more output, `into` is full or damage is found. Some output
  // may be held back, so a call may make bytes and take none.
  Step inflate(std::span<const std::byte> from, std::span<std::byte> into);
  // True if the input taken so far consists of complete streams.
  bool at_an_end() const { return at_an_end_ && held_.empty(); }

  // The bytes that each inflater has.
  static std::size_t memory_bytes();

 private:
  // What comes next in the input.
  enum class Part : std::uint8_t { header, deflated, trailer };
  struct Decoded {
    std::ptrdiff_t taken;  // less than 0 if bytes of an earlier input stand behind the stream
    std::size_t made;
    bool is_last;  // The stream ends here.
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
  std::optional<std::string> damage_;     // known, but output before it is held back
  std::array<std::byte, 8> recent_ = {};  // the last bytes of deflate that were taken
  Bytes held_;                            // bytes that were taken too early, and come before those that are given
};

}  // namespace carrack::data
