// One connection that cannot outlast its time or its size: httplib itself bounds only the wait for each next byte, so
// that whoever sends one byte a second holds a thread for hours.
#pragma once

#include <httplib.h>

#include <array>
#include <chrono>
#include <functional>

namespace carrack::control {

struct StreamLimits {
  std::size_t bytes_in = 0;
  std::chrono::steady_clock::time_point until;
  std::function<bool()> stopped;  // asked ten times a second
};

// Borrows the socket.
class BriefStream : public httplib::Stream {
 public:
  BriefStream(socket_t socket, StreamLimits limits) : socket_(socket), limits_(std::move(limits)) {}

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* into, size_t size) override;
  ssize_t write(const char* from, size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

 private:
  bool wait_for(short event) const;

  socket_t socket_;
  StreamLimits limits_;
  std::array<char, 1024> ahead_{};  // httplib reads byte by byte
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace carrack::control
