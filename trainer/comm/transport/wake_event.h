// Wakes a thread that waits in poll(2) for its descriptor, which is readable from set() until clear().
#pragma once

#include "trainer/comm/transport/member_socket.h"

namespace carrack::train {

// Thread-safe.
class WakeEvent {
 public:
  // Throws Error if the process has no descriptor left.
  WakeEvent();

  void set() const;
  void clear() const;
  int descriptor() const { return event_.descriptor(); }

 private:
  const MemberSocket event_;
};

}  // namespace carrack::train
