// HttpConnections: an HTTP/1.1 client for one server, with a pool of idle connections. Each send() is one try; retries
// are up to the caller: the storage of gs://, TokenService, or the operator's progress_reader.h. Safe for many threads:
// requests that run at the same time use one connection each, and the number of connections is not limited.
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

// How servers are reached from this machine; by default directly and with the resolver of the system.
struct HttpNetwork {
  Proxies proxies = {};
  AddressLookup::Find find = addresses_of;  // resolves the names of servers and proxies
};

class HttpConnections {
 public:
  // `endpoint` is http://HOST[:PORT] or https://HOST[:PORT]; throws Refused for anything else. Throws Error if the
  // endpoint is https:// and OpenSSL cannot be used. Does not connect yet. `timeouts` apply to each send(); but
  // HttpTimeouts::deadline is a point in time, so it is the same one for all of them.
  HttpConnections(const std::string& endpoint, HttpTimeouts timeouts, const HttpNetwork& network = {});
  ~HttpConnections();
  HttpConnections(const HttpConnections&) = delete;
  HttpConnections& operator=(const HttpConnections&) = delete;

  const std::string& endpoint() const { return endpoint_; }
  // Sends the request and blocks until the whole reply came, within the timeouts. Any status, such as 500, is a reply.
  // Does not throw for a failure of the network: the reply is then not complete, and its `failure` says why and names
  // the endpoint. An exception that a callback of the request throws ends the request and is thrown here. Throws Error
  // if OpenSSL cannot open a TLS session.
  HttpReply send(const HttpRequest& request);

 private:
  class Connection;
  // Returns an idle connection, or else a new one, which may have failed to connect.
  std::unique_ptr<Connection> take(Stop* stop);
  void give_back(std::unique_ptr<Connection> connection);

  const std::string endpoint_;
  const Route route_;
  const HttpTimeouts timeouts_;
  AddressLookup addresses_;
  TlsContext tls_;  // null for a server without TLS
  Mutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_ GUARDED_BY(mutex_);  // the longest idle first
};

}  // namespace carrack::data
