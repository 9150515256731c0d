#include "dataloader/http/addresses.h"

#include <netdb.h>

#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include "dataloader/check.h"

namespace carrack::data {
namespace {

using Clock = std::chrono::steady_clock;

Addresses resolve(const Server& server, int flags) {
  addrinfo hints{};
  hints.ai_flags = flags;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(server.host.c_str(), server.port.c_str(), &hints, &found); error != 0)
    return "cannot find " + server.host + ": " + ::gai_strerror(error);
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  std::vector<Address> addresses;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    std::memcpy(&addresses.emplace_back().bytes, one->ai_addr, one->ai_addrlen);
    addresses.back().size = one->ai_addrlen;
  }
  return addresses;
}

// Returns the address if the host is an IP address; nullopt if it is a name, which must be looked up.
std::optional<Addresses> numeric_address(const Server& server) {
  Addresses addresses = resolve(server, AI_NUMERICHOST);
  return std::holds_alternative<std::string>(addresses) ? std::nullopt : std::optional(std::move(addresses));
}

}  // namespace

Addresses addresses_of(const Server& server) {
  return resolve(server, 0);
}

struct AddressLookup::Lookup {
  const Clock::time_point started = Clock::now();
  Mutex mutex;
  ConditionVariable changed;
  std::optional<Addresses> result GUARDED_BY(mutex);

  bool is_running() {
    const MutexLock lock(mutex);
    return !result;
  }
  void finish(Addresses found) {
    const MutexLock lock(mutex);
    CHECK(!result);
    result = std::move(found);
    changed.notify_all();
  }
};

AddressLookup::AddressLookup(Server server, Find find)
    : server_(std::move(server)), find_(std::move(find)), numeric_(numeric_address(server_)) {}

Addresses AddressLookup::addresses(std::chrono::milliseconds timeout, Stop* stop) {
  if (numeric_) return *numeric_;
  const std::shared_ptr<Lookup> lookup = running_lookup(timeout);
  bool stopped = false;  // Guarded by the lookup's mutex.
  const auto end = [&] {
    const MutexLock lock(lookup->mutex);
    stopped = true;
    lookup->changed.notify_all();
  };
  const bool may_wait = stop == nullptr || stop->watch(end);
  Addresses found;
  {
    MutexLock lock(lookup->mutex);
    stopped |= !may_wait;
    const Clock::time_point limit = Clock::now() + timeout;
    while (!stopped && !lookup->result && lookup->changed.wait_until(lock, limit) != std::cv_status::timeout) {
    }
    if (stopped) {
      found = was_stopped;
    } else if (lookup->result) {
      found = *lookup->result;
    } else {
      found = "cannot find " + server_.host + ": no answer for " + std::to_string(timeout.count()) + " ms";
    }
  }
  if (stop != nullptr) stop->watch(nullptr);
  return found;
}

// Returns the lookup that is running, or starts one. A lookup that has run for longer than `timeout` may hang. Later
// callers then start another one, so that they notice when the resolver works again.
std::shared_ptr<AddressLookup::Lookup> AddressLookup::running_lookup(std::chrono::milliseconds timeout) {
  const MutexLock lock(mutex_);
  if (lookup_ && lookup_->is_running() && Clock::now() - lookup_->started < timeout) return lookup_;
  lookup_ = std::make_shared<Lookup>();
  // A lookup cannot be interrupted, so nothing waits for its thread, which uses only copies and the shared Lookup.
  try {
    std::thread([lookup = lookup_, server = server_, find = find_] { lookup->finish(find(server)); }).detach();
  } catch (const std::system_error& error) {
    lookup_->finish("cannot find " + server_.host + ": cannot start a thread: " + error.what());
  }
  return lookup_;
}

}  // namespace carrack::data
