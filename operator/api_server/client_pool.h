// Sends requests to the API server for several threads at the same time. Each request has a connection to itself, so
// none waits for another. The operator creates and changes its objects through one pool (kube/kube_cluster.h).
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

  // Calls Client::call() on an idle connection, or on a new one if none is idle, and throws what that throws. There is
  // no limit to the number of connections in use. Safe for several threads.
  ApiReply call(const ApiRequest& request) EXCLUDES(mutex_);

  // For tests: returns the number of connections that no request uses now. A pool retains at most 32 of them, and
  // closes a connection after an Error.
  std::size_t idle() const EXCLUDES(mutex_);

 private:
  std::unique_ptr<Client> take() EXCLUDES(mutex_);
  void give_back(std::unique_ptr<Client> client) EXCLUDES(mutex_);

  Credentials& credentials_;
  mutable Mutex mutex_;
  std::vector<std::unique_ptr<Client>> idle_ GUARDED_BY(mutex_);  // the last one was used last, and is taken next
};

}  // namespace carrack::control
