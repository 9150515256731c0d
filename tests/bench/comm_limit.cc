// bench_comm_limit BYTES SECONDS: rounds that only cross a TCP connection, as a bound: one process sends so many bytes,
// the other one receives them all and then sends as many back. Nobody looks at them.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "tests/bench/rounds.h"

namespace carrack::bench {
namespace {

class Connection {
 public:
  explicit Connection(int socket) : socket_(socket) {
    if (socket < 0) give_up("no connection");
    const int on = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  ~Connection() { ::close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool send(const std::vector<char>& bytes) {
    for (std::size_t sent = 0; sent < bytes.size();) {
      const ssize_t part = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (part <= 0) return false;
      sent += static_cast<std::size_t>(part);
    }
    return true;
  }
  bool receive(std::vector<char>& bytes) {
    return ::recv(socket_, bytes.data(), bytes.size(), MSG_WAITALL) == static_cast<ssize_t>(bytes.size());
  }

 private:
  int socket_;
};

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

void serve(std::size_t bytes, const std::function<void(const std::string&)>& serves_at) {
  const int listening = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listening, any, size) != 0 || ::listen(listening, 1) != 0 || ::getsockname(listening, any, &size) != 0)
    give_up("no port");
  serves_at(std::to_string(ntohs(address.sin_port)));
  Connection connection(::accept(listening, nullptr, nullptr));
  std::vector<char> gradient(bytes);
  const std::vector<char> parameters(bytes, 1);
  while (connection.receive(gradient) && connection.send(parameters)) {
  }
}

void measure(std::size_t bytes, double seconds) {
  const Child server([&](const auto& serves_at) { serve(bytes, serves_at); });
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in address = loopback(static_cast<std::uint16_t>(std::stoi(server.address())));
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) give_up("no connection");
  Connection connection(socket);
  const std::vector<char> gradient(bytes, 1);
  std::vector<char> parameters(bytes);
  Rounds rounds(bytes, seconds, {server.pid()});
  while (!rounds.enough()) {
    rounds.begin();
    if (!connection.send(gradient) || !connection.receive(parameters)) give_up("the connection has ended");
    rounds.end();
  }
  rounds.print();
}

}  // namespace
}  // namespace carrack::bench

int main(int argc, char** argv) {
  return carrack::bench::main_of("bench_comm_limit", argc, argv, carrack::bench::measure);
}
