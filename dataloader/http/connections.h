// HTTP/1.1 requests over connections that are kept: each is one try, and what became of it is a value.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "dataloader/http/addresses.h"
#include "dataloader/http/proxies.h"
#include "dataloader/http/request.h"
#include "dataloader/http/socket.h"
#include "dataloader/http/tls.h"

namespace carrack::data {

// How servers are reached from here.
struct HttpNetwork {
  Proxies proxies = {};
  AddressLookup::Find find = addresses_of;
};

class HttpConnections {
 public:
  // `endpoint` is http://HOST[:PORT] or https://HOST[:PORT]; else Refused.
  HttpConnections(const std::string& endpoint, HttpTimeouts timeouts, const HttpNetwork& network = {});
  ~HttpConnections();
  HttpConnections(const HttpConnections&) = delete;
  HttpConnections& operator=(const HttpConnections&) = delete;

  const std::string& endpoint() const { return endpoint_; }
  HttpReply send(const HttpRequest& request);

 private:
  class Connection;
  std::unique_ptr<Connection> take(Stop* stop);
  void give_back(std::unique_ptr<Connection> connection);

  const std::string endpoint_;
  const Route route_;
  const HttpTimeouts timeouts_;
  AddressLookup addresses_;
  TlsContext tls_;    // Where the server has TLS.
  std::mutex mutex_;  // Guards idle_.
  std::vector<std::unique_ptr<Connection>> idle_;
};

}  // namespace carrack::data
