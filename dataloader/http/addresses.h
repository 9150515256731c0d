// AddressLookup: finds the addresses of a server within a time limit. The machine's resolver has no time limit and
// cannot be interrupted, so it runs in a thread of its own, which a caller that waits no longer leaves behind. Callers
// that come while a lookup runs wait for the same one, unless it has run for longer than they would wait.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dataloader/http/service_url.h"
#include "dataloader/http/stop.h"
#include "dataloader/mutex.h"

namespace carrack::data {

// As connect(2) takes it.
struct Address {
  sockaddr_storage bytes{};
  socklen_t size = 0;
};
// All addresses of a server, or the message why there are none.
using Addresses = std::variant<std::vector<Address>, std::string>;

// Asks the machine's resolver and waits for it.
Addresses addresses_of(const Server& server);

// Safe for many threads.
class AddressLookup {
 public:
  using Find = std::function<Addresses(const Server&)>;
  // `find` is called in a thread that may outlive this object and its caller, so it must own all that it uses. It must
  // not throw.
  AddressLookup(Server server, Find find);

  // Waits until the lookup is done, `timeout` is over or `stop`, which may be null, stops it; in the last two cases
  // returns a message. Does not wait if the server's name is an address.
  Addresses addresses(std::chrono::milliseconds timeout, Stop* stop);

 private:
  struct Lookup;
  // The lookup that has run for less than `timeout`, or a new one.
  std::shared_ptr<Lookup> running_lookup(std::chrono::milliseconds timeout);

  const Server server_;
  const Find find_;
  const std::optional<Addresses> numeric_;  // Set if the server's name is an address.
  Mutex mutex_;
  std::shared_ptr<Lookup> lookup_ GUARDED_BY(mutex_);
};

}  // namespace carrack::data
