// Where a server is, by its name. The machine's resolver knows no deadline and cannot be ended: it is asked in a thread
// of its own, which is left behind by who waits no longer. All who ask while it is asked wait for one answer.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dataloader/http/service_url.h"
#include "dataloader/http/stop.h"

namespace carrack::data {

// As the sockets' calls take it.
struct Address {
  sockaddr_storage bytes{};
  socklen_t size = 0;
};
// All that a server may be found at; the reason where it is not found.
using Addresses = std::variant<std::vector<Address>, std::string>;

// As the machine's resolver says, whenever that is.
Addresses addresses_of(const Server& server);

// For many threads.
class AddressLookup {
 public:
  using Find = std::function<Addresses(const Server&)>;
  AddressLookup(Server server, Find find);

  // Within that time.
  Addresses addresses(std::chrono::milliseconds timeout, Stop* stop);

 private:
  struct Question;
  std::shared_ptr<Question> ask(std::chrono::milliseconds timeout);

  const Server server_;
  const Find find_;
  const std::optional<Addresses> written_;  // Where the name is an address.
  std::mutex mutex_;                        // Guards question_.
  std::shared_ptr<Question> question_;
};

}  // namespace carrack::data
