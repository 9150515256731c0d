// AddressLookup: resolves the host name of one server (DNS) with a time limit. getaddrinfo() has no time limit and
// cannot be interrupted, so it runs in a thread of its own; a caller whose time is over returns and leaves that thread
// running. Calls share a lookup that already runs, unless it has run for longer than the call's timeout. Results are
// not cached. HttpConnections and the trainer's connections between members use it.
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

// An address as connect(2) takes it.
struct Address {
  sockaddr_storage bytes{};
  socklen_t size = 0;
};
// The addresses of a server, at least one, in the order in which to try them; or a message that says why there is none.
using Addresses = std::variant<std::vector<Address>, std::string>;

// Resolves the host name in this thread with getaddrinfo(3), without a time limit. The usual AddressLookup::Find.
Addresses addresses_of(const Server& server);

// Safe for many threads.
class AddressLookup {
 public:
  using Find = std::function<Addresses(const Server&)>;
  // `find` resolves the server. It is called in a thread that may outlive this object and the caller of addresses(), so
  // `find` must own all that it uses. It must not throw.
  AddressLookup(Server server, Find find);

  // Blocks until the addresses are known. Returns a message if the lookup fails, if no thread can be started for it, if
  // `timeout` is over first, or if stop->stop() is called, now or earlier: the message is then was_stopped (stop.h).
  // `stop` may be null. Returns at once, even after stop(), if the server's host is already an address such as
  // 10.0.0.1.
  Addresses addresses(std::chrono::milliseconds timeout, Stop* stop);

 private:
  struct Lookup;
  // Returns the running lookup if it has run for less than `timeout`, or else starts one.
  std::shared_ptr<Lookup> running_lookup(std::chrono::milliseconds timeout);

  const Server server_;
  const Find find_;
  const std::optional<Addresses> numeric_;  // set if the server's host is an address
  Mutex mutex_;
  std::shared_ptr<Lookup> lookup_ GUARDED_BY(mutex_);
};

}  // namespace carrack::data
