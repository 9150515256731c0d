// HTTP requests over connections that are kept: each is one try, and what became of it is a value.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace httplib {
class Client;
}

namespace carrack::data {

struct HttpRequest {
  std::string method;
  std::string target;  // Path and query, percent-encoded.
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  // Where the body of a 200 or 206 goes; what is more than it holds is not read. Empty: to HttpReply::body.
  std::span<std::byte> into;
  // What is longer is not read: a reply that is held in memory. The largest are pages of a listing.
  std::size_t longest_body = std::size_t{64} << 20;
};

struct HttpReply {
  int status = 0;  // 0: no reply came, and nobody knows whether the request was carried out.
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::size_t received = 0;  // Of `into`.
  bool whole = false;        // Else the connection ended in the body.
  std::string failure;       // Of the connection, in words.

  // Of a header that is there several times the values, with commas between.
  std::optional<std::string> header(const std::string& name) const;
};

// Whether the same request may fare better later.
bool is_transient(const HttpReply& reply);

// With `...` in the place of a secret, for texts of those who were sent it.
std::string without(const std::string& text, const std::string& secret);

// Whether nobody on the way can read what is sent: https://, and http:// to this machine.
bool is_private(const std::string& endpoint);

// A try ends when nobody takes the connection for `connect`, and at a silence of `silence`.
struct HttpPatience {
  std::chrono::milliseconds silence{60'000};
  std::chrono::milliseconds connect{10'000};
};

class HttpConnections {
 public:
  // `endpoint` is http://HOST[:PORT] or https://HOST[:PORT]; else Error. Certificates are looked at.
  HttpConnections(const std::string& endpoint, HttpPatience patience);
  ~HttpConnections();
  HttpConnections(const HttpConnections&) = delete;
  HttpConnections& operator=(const HttpConnections&) = delete;

  const std::string& endpoint() const { return endpoint_; }
  HttpReply send(const HttpRequest& request);

 private:
  std::unique_ptr<httplib::Client> take();
  void give_back(std::unique_ptr<httplib::Client> connection);

  const std::string endpoint_;
  const HttpPatience patience_;
  std::mutex mutex_;  // Guards idle_.
  std::vector<std::unique_ptr<httplib::Client>> idle_;
};

}  // namespace carrack::data
