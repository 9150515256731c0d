#include "operator/api_server/client_pool.h"

#include <utility>

namespace carrack::control {
namespace {

// The maximum number of idle connections. More are needed only for moments, such as when many pods are created.
constexpr std::size_t idle_max = 32;

}  // namespace

ApiReply ClientPool::call(const ApiRequest& request) {
  std::unique_ptr<Client> client = take();
  ApiReply reply = client->call(request);
  give_back(std::move(client));  // After an Error the client is destroyed instead.
  return reply;
}

std::size_t ClientPool::idle() const {
  const MutexLock lock(mutex_);
  return idle_.size();
}

std::unique_ptr<Client> ClientPool::take() {
  const MutexLock lock(mutex_);
  if (idle_.empty()) return std::make_unique<Client>(credentials_);
  std::unique_ptr<Client> client = std::move(idle_.back());
  idle_.pop_back();
  return client;
}

void ClientPool::give_back(std::unique_ptr<Client> client) {
  const MutexLock lock(mutex_);
  if (idle_.size() < idle_max) idle_.push_back(std::move(client));
}

}  // namespace carrack::control
