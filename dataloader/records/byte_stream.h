// An interface to read bytes from a beginning to an end, whose number need not be known: a file, which may be
// compressed, or the output of a program. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "dataloader/records/corrupt.h"

namespace carrack::data {

// What it takes to resume reading at a place in the middle.
enum class Seek {
  at_once,           // reading begins at that place, without the bytes before it
  by_reading_again,  // everything before that place must be read and inflated again
  never,             // the bytes cannot be read again
};

class ByteStream {
 public:
  // Why the stream ended early.
  struct Problem {
    Fault fault;
    std::string message;
  };
  static constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();

  virtual ~ByteStream() = default;

  // Reads at least one byte into the front of `into` and returns the number of bytes; 0 at the end and after a problem.
  // `into` of the first call should have room for `first_bytes` (first_bytes.h), by which compression is recognized.
  virtual std::size_t read(std::span<std::byte> into) = 0;
  // The number of bytes that read() has not returned yet, or `unknown`.
  virtual std::uint64_t left() const = 0;
  virtual const std::optional<Problem>& problem() const = 0;
  // True if the stream inflates a compressed file: places and sizes then count the inflated bytes.
  virtual bool inflates() const = 0;
  // Known after the first read.
  virtual Seek resume() const = 0;
  // Ends the stream: read() returns 0 from then on, and problem() is nullopt.
  virtual void close() = 0;
};

}  // namespace carrack::data
