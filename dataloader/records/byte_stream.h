// Bytes from a beginning to an end. How many there are need not be known: those of a compressed file are not, nor those
// that a program writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "dataloader/records/corrupt.h"

namespace carrack::data {

// What going on from a place in the midst takes.
enum class Seek {
  at_once,           // a read from there on
  by_reading_again,  // all before it is read and inflated once more
  never,             // It cannot be had again.
};

class ByteStream {
 public:
  // Why nothing more comes, besides that there is no more.
  struct Problem {
    Fault fault;
    std::string message;
  };
  static constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();

  virtual ~ByteStream() = default;

  // As much of the front of `into` as is there, and a byte at least, up to the end or a problem. The first time it has
  // room for `first_bytes` at least.
  virtual std::size_t read(std::span<std::byte> into) = 0;
  // How many bytes are still to come, or unknown.
  virtual std::uint64_t left() const = 0;
  virtual const std::optional<Problem>& problem() const = 0;
  // They are not those of the file itself, but what these inflate to.
  virtual bool inflates() const = 0;
  // Known once something was read.
  virtual Seek resume() const = 0;
  // From now on it has ended, without a problem.
  virtual void close() = 0;
};

}  // namespace carrack::data
