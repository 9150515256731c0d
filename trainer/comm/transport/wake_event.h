// WakeEvent: a descriptor (eventfd) by which one thread wakes another that waits in poll(2). The threads of Gate and
// SharedMemoryEndpoint wait for one.
#pragma once

#include "trainer/comm/transport/member_socket.h"

namespace carrack::train {

// The descriptor is readable from set() until clear(), however often set() was called. Thread-safe.
class WakeEvent {
 public:
  // Throws Error with Blame::platform if no descriptor is left.
  WakeEvent();

  void set() const;
  void clear() const;
  // For poll(2), with POLLIN. Owned by this object.
  int descriptor() const { return event_.descriptor(); }

 private:
  const MemberSocket event_;
};

}  // namespace carrack::train
