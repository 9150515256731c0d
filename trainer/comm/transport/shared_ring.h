// A ring of bytes in memory that two processes share: one writes, the other reads. Nothing here waits, and nothing
// that the other process writes is relied on: a number that cannot be is reported, and changes nothing.
// docs/formats/wire.md specifies the memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "dataloader/mutex.h"
#include "trainer/comm/protocol/piece.h"

namespace carrack::train {

// A number in shared memory that one process writes and the other reads.
class SharedNumber {
 public:
  void store(std::uint64_t value) { std::atomic_ref(value_).store(value); }
  std::uint64_t load() const { return std::atomic_ref(const_cast<std::uint64_t&>(value_)).load(); }

 private:
  static_assert(std::atomic_ref<std::uint64_t>::is_always_lock_free);
  std::uint64_t value_;
};

// What one side of a stream says to the other. Only that side writes it, and it does not read it.
struct SharedSide {
  SharedNumber written;   // bytes that it has written to its ring since the beginning
  SharedNumber released;  // bytes of the other side's ring that it does not need any more, since the beginning
  SharedNumber waits;     // not 0 if it is to be woken when bytes of its ring are released
  SharedNumber closed;    // not 0 if it will write no more
  SharedNumber beats;     // changes once a second
};

// The side that writes. Not thread-safe.
class RingWriter {
 public:
  RingWriter(std::span<std::byte> ring, SharedSide& own, const SharedSide& other)
      : ring_(ring), own_(own), other_(other) {}

  // Copies the first of the bytes, as many as there is space for, and returns how many. The other side sees them
  // after publish(). nullopt if the other side says that it has released what it cannot have.
  std::optional<std::size_t> write(std::span<const std::byte> bytes);
  void publish() { own_.written.store(written_); }

  // Whether the other side is to wake this one once it has released bytes. Write once more after setting it: it may
  // have released some just before.
  void set_waits(bool waits) { own_.waits.store(waits ? 1 : 0); }

 private:
  const std::span<std::byte> ring_;
  SharedSide& own_;
  const SharedSide& other_;
  std::uint64_t written_ = 0;
  std::uint64_t released_ = 0;  // by the other side, when this was last read
};

// The side that reads. release() is thread-safe, the rest is for one thread.
class RingReader {
 public:
  RingReader(std::span<const std::byte> ring, SharedSide& own, const SharedSide& other)
      : ring_(ring), own_(own), other_(other) {}

  // Bytes that are there and were not taken. nullopt if the other side says that it has written what it cannot have.
  std::optional<std::size_t> available();

  // The next bytes; as many must be available. The other side does not write over them before they are released, but
  // nothing keeps it from it: the values may change at any time.
  std::vector<Piece::Block> take(std::size_t size);

  // Ends a run of bytes: those taken since the last call. Returns its number.
  std::uint64_t end_run() EXCLUDES(mutex_);
  // Says that the bytes of a run are not needed any more. Runs may be released in any order, each once. The other side
  // writes over them once those before are released, too. Returns true if it is then to be woken.
  bool release(std::uint64_t run) EXCLUDES(mutex_);

 private:
  struct Run {
    std::uint64_t end;
    bool is_released = false;
  };

  const std::span<const std::byte> ring_;
  SharedSide& own_;
  const SharedSide& other_;
  std::uint64_t written_ = 0;  // by the other side, when this was last read
  std::uint64_t taken_ = 0;
  Mutex mutex_;
  std::deque<Run> runs_ GUARDED_BY(mutex_);         // that are not free, the oldest first
  std::uint64_t first_run_ GUARDED_BY(mutex_) = 0;  // the number of the oldest one
  std::uint64_t released_bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace carrack::train
