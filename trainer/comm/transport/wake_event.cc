#include "trainer/comm/transport/wake_event.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include "dataloader/check.h"
#include "trainer/error.h"

namespace carrack::train {

WakeEvent::WakeEvent() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (event_.descriptor() < 0)
    throw Error(Blame::platform, std::string("cannot make an event: ") + std::strerror(errno));
}

void WakeEvent::set() const {
  const std::uint64_t one = 1;
  CHECK_EQ(write(event_.descriptor(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
}

void WakeEvent::clear() const {
  std::uint64_t ignored = 0;
  // If the event is not set there is nothing to read, and the error is EAGAIN.
  if (read(event_.descriptor(), &ignored, sizeof ignored) < 0) CHECK_EQ(errno, EAGAIN);
}

}  // namespace carrack::train
