#include "operator/web/brief_stream.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>

namespace carrack::control {

bool BriefStream::wait_for(short event) const {
  using std::chrono::milliseconds;
  while (!limits_.stopped()) {
    const auto left = std::chrono::ceil<milliseconds>(limits_.until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd waited{socket_, event, 0};
    const int found = poll(&waited, 1, static_cast<int>(std::min(left, milliseconds(100)).count()));
    if (found > 0) return true;
    if (found < 0 && errno != EINTR) return false;
  }
  return false;
}

bool BriefStream::is_readable() const {
  return begin_ < end_ || wait_for(POLLIN);
}

bool BriefStream::is_writable() const {
  return wait_for(POLLOUT);
}

ssize_t BriefStream::read(char* into, size_t size) {
  if (begin_ == end_) {
    const std::size_t room = std::min(ahead_.size(), limits_.bytes_in);
    if (room == 0 || !wait_for(POLLIN)) return -1;
    const ssize_t got = recv(socket_, ahead_.data(), room, MSG_DONTWAIT);
    if (got <= 0) return got;
    begin_ = 0;
    end_ = static_cast<std::size_t>(got);
    limits_.bytes_in -= end_;
  }
  const std::size_t taken = std::min(size, end_ - begin_);
  std::memcpy(into, ahead_.data() + begin_, taken);
  begin_ += taken;
  return static_cast<ssize_t>(taken);
}

ssize_t BriefStream::write(const char* from, size_t size) {
  return wait_for(POLLOUT) ? send(socket_, from, size, MSG_NOSIGNAL | MSG_DONTWAIT) : -1;
}

// Nobody is told who asks.
void BriefStream::get_remote_ip_and_port(std::string&, int&) const {}
void BriefStream::get_local_ip_and_port(std::string&, int&) const {}

}  // namespace carrack::control
