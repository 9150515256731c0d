// ByteStream: an interface to read bytes from first to last: a file, which may be compressed (FileStream, or
// SeekPointStream to find seek points as well), or the output of a program (ProgramStream). The number of bytes need
// not be known before the end. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "dataloader/records/corrupt.h"

namespace carrack::data {

// What it takes to continue in the middle of the bytes later, in a new stream.
enum class Seek {
  at_once,           // reading can begin there, without the bytes before
  by_reading_again,  // all bytes before must be read and inflated again
  never,             // the bytes cannot be read again
};

class ByteStream {
 public:
  // Why the stream ended early, for example a damaged compressed file. `message` is for the user.
  struct Problem {
    Fault fault;
    std::string message;
  };
  static constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();

  virtual ~ByteStream() = default;

  // Reads at least one byte into the front of `into`, which must not be empty, and returns the number of bytes; 0 at
  // the end and after a problem. `into` of the first call should have room for `first_bytes` bytes (first_bytes.h), by
  // which compression is recognized. Throws Error if the storage or the system fails.
  virtual std::size_t read(std::span<std::byte> into) = 0;
  // The number of bytes that read() has not returned yet, or `unknown`.
  virtual std::uint64_t left() const = 0;
  // nullopt unless the stream has ended early; read() has then returned all bytes before the problem.
  virtual const std::optional<Problem>& problem() const = 0;
  // True if the stream inflates a compressed file: offsets and sizes then count the inflated bytes. Known after the
  // first read.
  virtual bool inflates() const = 0;
  // Returns how reading can resume; this call moves nothing. Known after the first read.
  virtual Seek resume() const = 0;
  // Ends the stream: read() returns 0 from then on, and problem() is nullopt.
  virtual void close() = 0;
};

}  // namespace carrack::data
