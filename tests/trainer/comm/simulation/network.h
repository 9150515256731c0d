// Streams between processes. Frames arrive in order, after any delay, and their tails in any pieces. A stream that
// breaks loses what is under way, and its two ends learn of it at different times.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tests/trainer/comm/simulation/random.h"
#include "tests/trainer/comm/simulation/schedule.h"
#include "trainer/comm/transport/frame_codec.h"
#include "trainer/comm/transport/inbox.h"

namespace carrack::train::simulation {

class Process;

class Network {
 public:
  Network(Schedule& schedule, Random& random, std::uint64_t seed)
      : schedule_(schedule), random_(random), pieces_(Random::mixed(seed + 8)), has_pieces_(pieces_.chance(500)) {}

  // A stream to nobody ends after a while.
  PeerId connect(Process& from, Process* to);
  void send(PeerId end, const wire::Message& message, const Tail& tail);
  // Once the queued frames are sent.
  void close(PeerId end);

  // The other end learns of it later.
  void died(const Process& process);
  void lose_streams_of(const Process& process);
  void lose_any_stream();

  // From now on neither opens a stream to the other.
  void cut(const Process& one, const Process& other);
  // Takes back what cut() did to this process.
  void heal(const Process& process);
  bool was_cut(const Process& process) const;
  // Whether the stream leads to a process that lives.
  bool is_open(PeerId end) { return !stream_of(end).broken; }
  const Process* other_end(PeerId end) { return stream_of(end).ends[1 - side_of(end)].process; }

  // Of a thousand frames, so many are late by up to a second.
  void set_late(std::uint64_t of_a_thousand) { late_ = of_a_thousand; }
  // From now on no frame and no piece of a tail is late.
  void calm() { late_ = late_pieces_ = 0; }

  // Prints every frame that arrives, and every stream that breaks.
  void trace_to(std::ostream& out) { trace_ = &out; }

  // The largest number of frames that one stream had under way in one direction.
  std::size_t most_under_way() const { return most_under_way_; }

 private:
  struct End {
    Process* process = nullptr;
    bool told = false;  // the process knows that the stream ended
    bool closing = false;
    Time last_arrival = 0;  // of the last frame sent from here
    std::size_t under_way = 0;
  };
  struct Stream {
    End ends[2];
    bool broken = false;
  };

  Stream& stream_of(PeerId end) { return streams_[end / 2 - 1]; }
  static std::size_t side_of(PeerId end) { return end % 2; }
  bool are_cut(const Process& one, const Process& other) const;
  Time delay();
  Time arrival(End& from);
  Time arrival_of_next_piece(End& from);
  void deliver(PeerId end, FramePart part);
  void break_stream(std::size_t stream);
  void tell(PeerId end, Time after);
  void trace(PeerId end, const std::string& what);

  Schedule& schedule_;
  Random& random_;
  Random pieces_;    // a generator of its own, so that everything else of a seed does not depend on it
  bool has_pieces_;  // else all tails come whole
  std::vector<Stream> streams_;
  std::vector<std::pair<const Process*, const Process*>> cuts_;
  std::uint64_t late_ = 0;           // of a thousand frames
  std::uint64_t late_pieces_ = 200;  // of a thousand pieces behind the first of their frame
  std::size_t most_under_way_ = 0;
  std::ostream* trace_ = nullptr;
};

}  // namespace carrack::train::simulation
