#include "trainer/comm/transport/shared_connection.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace carrack::train {

void SharedConnection::wake() {
  const char byte = 0;
  // The result does not matter. If the buffer is full, the other side still has wakes to read; if the connection has
  // ended, the other side learns that in any case.
  ::send(socket_.descriptor(), &byte, sizeof byte, MSG_NOSIGNAL | MSG_DONTWAIT);
}

bool SharedConnection::take_wakes() {
  std::array<char, 256> ignored;
  while (true) {
    const ssize_t size = recv(socket_.descriptor(), ignored.data(), ignored.size(), MSG_DONTWAIT);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno == EAGAIN;
    // If more wakes are left, the descriptor stays readable, and this function is called again.
    return size > 0;
  }
}

void SharedConnection::end() {
  shutdown(socket_.descriptor(), SHUT_RDWR);
}

std::shared_ptr<const void> end_run(const std::shared_ptr<SharedConnection>& connection) {
  const auto release = [connection, run = connection->reader().end_run()](const void*) {
    if (connection->reader().release(run)) connection->wake();
  };
  return {static_cast<const void*>(nullptr), release};
}

}  // namespace carrack::train
