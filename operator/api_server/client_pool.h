// Connections to the API server for several threads at once. Each request has a connection to itself, so none waits for
// another.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "dataloader/mutex.h"
#include "operator/api_server/client.h"

namespace carrack::control {

class ClientPool {
 public:
  // `credentials` must outlive this.
  explicit ClientPool(Credentials& credentials) : credentials_(credentials) {}

  // Does Client::call() on an idle connection, or on a new one if none is idle. May be called from any thread.
  ApiReply call(const ApiRequest& request) EXCLUDES(mutex_);

  // How many connections wait for the next request.
  std::size_t idle() const EXCLUDES(mutex_);

 private:
  std::unique_ptr<Client> take() EXCLUDES(mutex_);
  void give_back(std::unique_ptr<Client> client) EXCLUDES(mutex_);

  Credentials& credentials_;
  mutable Mutex mutex_;
  std::vector<std::unique_ptr<Client>> idle_ GUARDED_BY(mutex_);  // the one used last is at the end, and taken first
};

}  // namespace carrack::control
