// HttpConnections: sends HTTP/1.1 requests to one server and keeps its connections for later requests. Each send() is
// one try; retries are up to the caller. Safe for many threads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dataloader/http/addresses.h"
#include "dataloader/http/proxies.h"
#include "dataloader/http/request.h"
#include "dataloader/http/socket.h"
#include "dataloader/http/tls.h"
#include "dataloader/mutex.h"

namespace carrack::data {

// How servers are reached from this machine.
struct HttpNetwork {
  Proxies proxies = {};
  AddressLookup::Find find = addresses_of;
};

class HttpConnections {
 public:
  // `endpoint` is http://HOST[:PORT] or https://HOST[:PORT]; throws Refused for anything else.
  HttpConnections(const std::string& endpoint, HttpTimeouts timeouts, const HttpNetwork& network = {});
  ~HttpConnections();
  HttpConnections(const HttpConnections&) = delete;
  HttpConnections& operator=(const HttpConnections&) = delete;

  const std::string& endpoint() const { return endpoint_; }
  // Waits for the reply, with the limits of the timeouts. Does not throw for a failure of the network: the reply is
  // then not complete, and its `failure` says why. What the functions of the request throw passes through.
  HttpReply send(const HttpRequest& request);

 private:
  class Connection;
  // An idle connection, or a new one.
  std::unique_ptr<Connection> take(Stop* stop);
  void give_back(std::unique_ptr<Connection> connection);

  const std::string endpoint_;
  const Route route_;
  const HttpTimeouts timeouts_;
  AddressLookup addresses_;
  TlsContext tls_;  // null for a server without TLS
  Mutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_ GUARDED_BY(mutex_);  // The longest idle ones are in front.
};

}  // namespace carrack::data
