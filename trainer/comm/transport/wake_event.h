// Wakes a thread that waits in poll(2).
#pragma once

#include "trainer/comm/transport/member_socket.h"

namespace carrack::train {

// Its descriptor is readable from set() until clear(). Thread-safe.
class WakeEvent {
 public:
  // Throws Error with Blame::platform if no descriptor is left.
  WakeEvent();

  void set() const;
  void clear() const;
  int descriptor() const { return event_.descriptor(); }

 private:
  const MemberSocket event_;
};

}  // namespace carrack::train
