// A ring buffer in memory that two processes share: one writes (RingWriter), the other reads (RingReader). No function
// blocks. The writer may overwrite bytes only after the reader has released them. The other process may write anything
// to the memory: an impossible counter is reported to the caller and has no effect. docs/formats/wire.md specifies the
// memory.
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

// A number in shared memory that one process writes and the other reads, atomically.
class SharedNumber {
 public:
  void store(std::uint64_t value) { std::atomic_ref(value_).store(value); }
  std::uint64_t load() const { return std::atomic_ref(const_cast<std::uint64_t&>(value_)).load(); }

 private:
  static_assert(std::atomic_ref<std::uint64_t>::is_always_lock_free);
  std::uint64_t value_;
};

// The counters of one side of a stream, in shared memory. Only that side writes them; the other side reads them.
struct SharedSide {
  SharedNumber written;   // total number of bytes that this side has written to its ring
  SharedNumber released;  // total number of bytes of the other side's ring that this side does not need any more
  SharedNumber waits;     // not 0: wake this side when bytes of its ring are released
  SharedNumber closed;    // not 0: this side will write nothing more
  SharedNumber beats;     // changes once a second, as a sign that this process is alive
};

// The side that writes. Not thread-safe.
class RingWriter {
 public:
  // `own` are the counters of this process, `other` those of the reader. All must outlive this.
  RingWriter(std::span<std::byte> ring, SharedSide& own, const SharedSide& other)
      : ring_(ring), own_(own), other_(other) {}

  // Copies as many of the first bytes as there is space for, and returns their number, which may be 0. Returns nullopt
  // if the other side reports an impossible number of released bytes.
  std::optional<std::size_t> write(std::span<const std::byte> bytes);
  // Makes what was written visible to the other side. Does not wake it.
  void publish() { own_.written.store(written_); }

  // Sets whether the other side must wake this one after it releases bytes. Call write() once more after setting it to
  // true, since bytes may have been released just before.
  void set_waits(bool waits) { own_.waits.store(waits ? 1 : 0); }

 private:
  const std::span<std::byte> ring_;
  SharedSide& own_;
  const SharedSide& other_;
  std::uint64_t written_ = 0;
  std::uint64_t released_ = 0;  // total that the other side had released when this was last read
};

// The side that reads. release() is thread-safe; all other functions must be called from one thread.
class RingReader {
 public:
  // `own` are the counters of this process, `other` those of the writer. All must outlive this.
  RingReader(std::span<const std::byte> ring, SharedSide& own, const SharedSide& other)
      : ring_(ring), own_(own), other_(other) {}

  // Returns the number of bytes that have arrived and that take() has not returned yet; nullopt if the other side
  // reports an impossible number.
  std::optional<std::size_t> available();

  // Returns where the next `size` bytes are in the ring: one block, or two if they continue at its start. available()
  // must have reported them. The other side must not overwrite them before they are released, but nothing enforces
  // that: copy values before checking them.
  std::vector<Piece::Block> take(std::size_t size);

  // Combines the bytes that take() has returned since the last call into a run, and returns its number, for release().
  std::uint64_t end_run() EXCLUDES(mutex_);
  // Marks a run as not needed any more. Runs may be released in any order, each once. The other side may overwrite a
  // run only after all earlier runs are released, too. Returns true if the caller must wake the other side.
  bool release(std::uint64_t run) EXCLUDES(mutex_);

 private:
  struct Run {
    std::uint64_t end;
    bool is_released = false;
  };

  const std::span<const std::byte> ring_;
  SharedSide& own_;
  const SharedSide& other_;
  std::uint64_t written_ = 0;  // total that the other side had written when this was last read
  std::uint64_t taken_ = 0;
  Mutex mutex_;
  std::deque<Run> runs_ GUARDED_BY(mutex_);         // runs that still take space, the oldest first
  std::uint64_t first_run_ GUARDED_BY(mutex_) = 0;  // the number of the oldest run
  std::uint64_t released_bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace carrack::train
