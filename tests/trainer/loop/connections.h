// Ports and connections on this machine.
#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>

namespace carrack::train {

inline sockaddr_in local_address(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// Nobody listens there.
inline int free_port() {
  const int bound = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = local_address(0);
  socklen_t size = sizeof address;
  if (bind(bound, reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
      getsockname(bound, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw std::runtime_error("no port is free");
  }
  close(bound);
  return ntohs(address.sin_port);
}

inline int connected_to(int port) {
  const int made = socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in to = local_address(port);
  if (connect(made, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) throw std::runtime_error("nobody listens");
  return made;
}

}  // namespace carrack::train
