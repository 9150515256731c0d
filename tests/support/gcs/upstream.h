// Requests and replies, and one client's way to the server behind the proxy: a connection that is kept open and remade
// when the server has closed it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tests/support/gcs/connection.h"
#include "tests/support/gcs/http_text.h"

namespace carrack::tests {

struct Request {
  std::string method;
  Target target;
  Fields headers;
  std::string body;
};

struct Reply {
  int status = 0;
  Fields headers;  // Without those that frame the body.
  std::string body;
  std::uint64_t streamed = 0;  // Bytes of the body that follow `body` and are still to be read from the upstream,
  std::shared_ptr<const std::string> held = {};  // or from this,
  std::uint64_t held_from = 0;                   // from there on.
  bool persisted_less = false;                   // An upload kept less than was sent because a fault said so.
};

class Upstream {
 public:
  Upstream(Address address, OpenSockets& sockets) : address_(std::move(address)), sockets_(sockets) {}

  // The whole reply; throws std::runtime_error if the server does not answer.
  Reply send(const Request& request);
  // The reply's head; its body is left to read().
  Reply open(const Request& request);
  // The next bytes of an opened reply; 0 if the server broke off.
  std::size_t read(char* into, std::size_t size);
  const Address& address() const { return address_; }

 private:
  ReplyHead exchange(const Request& request);
  std::optional<std::string> try_exchange(const std::string& head, const std::string& body);

  Address address_;
  OpenSockets& sockets_;
  std::unique_ptr<Connection> connection_;
  std::uint64_t unread_ = 0;
};

}  // namespace carrack::tests
