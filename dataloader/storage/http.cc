#include "dataloader/storage/http.h"

#include <httplib.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "dataloader/error.h"

namespace carrack::data {
namespace {

bool is_content(int status) {
  return status == 200 || status == 206;
}

// Takes in a piece of the body; false ends the request.
bool take_piece(HttpReply& reply, const HttpRequest& request, const char* data, std::size_t size) {
  const std::span<std::byte> into = request.into;
  if (into.empty() || !is_content(reply.status)) {
    reply.body.append(data, size);
    return reply.body.size() <= request.longest_body;
  }
  const std::size_t kept = std::min(size, into.size() - reply.received);
  std::memcpy(into.data() + reply.received, data, kept);
  reply.received += kept;
  return kept == size;
}

httplib::Request to_httplib(const HttpRequest& request, HttpReply& reply) {
  httplib::Request sent;
  sent.method = request.method;
  sent.path = request.target;
  sent.body = request.body;
  for (const auto& [name, value] : request.headers) sent.headers.emplace(name, value);
  sent.response_handler = [&reply](const httplib::Response& head) {
    reply.status = head.status;
    reply.headers.assign(head.headers.begin(), head.headers.end());
    return true;
  };
  sent.content_receiver = [&reply, &request](const char* data, std::size_t size, std::uint64_t, std::uint64_t) {
    return take_piece(reply, request, data, size);
  };
  return sent;
}

}  // namespace

std::optional<std::string> HttpReply::header(const std::string& name) const {
  std::optional<std::string> joined;
  for (const auto& [key, value] : headers) {
    if (::strcasecmp(key.c_str(), name.c_str()) == 0) joined = joined ? *joined + ", " + value : value;
  }
  return joined;
}

bool is_transient(const HttpReply& reply) {
  if (!reply.whole) return true;
  switch (reply.status) {
    case 408:
    case 429:
    case 500:
    case 502:
    case 503:
    case 504:
      return true;
    default:
      return false;
  }
}

std::string without(const std::string& text, const std::string& secret) {
  if (secret.empty()) return text;
  std::string kept;
  std::size_t from = 0;
  for (std::size_t at = text.find(secret); at != text.npos; at = text.find(secret, from)) {
    kept += text.substr(from, at - from) + "...";
    from = at + secret.size();
  }
  return kept + text.substr(from);
}

bool is_private(const std::string& endpoint) {
  if (endpoint.starts_with("https://")) return true;
  const std::vector<std::string> here{"http://127.0.0.1", "http://localhost", "http://[::1]"};
  return std::any_of(here.begin(), here.end(),
                     [&](const std::string& host) { return endpoint == host || endpoint.starts_with(host + ":"); });
}

HttpConnections::HttpConnections(const std::string& endpoint, HttpPatience patience)
    : endpoint_(endpoint), patience_(patience) {
  if (!endpoint.starts_with("http://") && !endpoint.starts_with("https://")) {
    throw Refused(endpoint + ": is no address of an object store; write http://HOST:PORT");
  }
  // httplib writes without MSG_NOSIGNAL: a connection that the other end closed would end the process.
  std::signal(SIGPIPE, SIG_IGN);
}

HttpConnections::~HttpConnections() = default;

HttpReply HttpConnections::send(const HttpRequest& request) {
  std::unique_ptr<httplib::Client> connection = take();
  HttpReply reply;
  httplib::Request sent = to_httplib(request, reply);
  httplib::Response received;
  httplib::Error error = httplib::Error::Success;
  reply.whole = connection->send(sent, received, error);
  if (reply.whole) {
    reply.status = received.status;
    reply.headers.assign(received.headers.begin(), received.headers.end());
    give_back(std::move(connection));
  } else {
    reply.failure = "no answer from " + endpoint_ + " (" + httplib::to_string(error) + ")";
  }
  return reply;
}

std::unique_ptr<httplib::Client> HttpConnections::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto connection = std::move(idle_.back());
      idle_.pop_back();
      return connection;
    }
  }
  auto connection = std::make_unique<httplib::Client>(endpoint_);
  if (!connection->is_valid()) throw Refused(endpoint_ + ": is no address of an object store; write http://HOST:PORT");
  connection->set_keep_alive(true);
  connection->set_tcp_nodelay(true);
  connection->set_url_encode(false);
  connection->set_follow_location(false);  // What is sent, secrets among it, is for this host.
  // Compressed objects are read as they are stored, or their ranges would not be those asked for.
  connection->set_decompress(false);
  connection->set_connection_timeout(patience_.connect);
  connection->set_read_timeout(patience_.silence);
  connection->set_write_timeout(patience_.silence);
  return connection;
}

void HttpConnections::give_back(std::unique_ptr<httplib::Client> connection) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(connection));
}

}  // namespace carrack::data
