#include "tests/support/gcs/upstream.h"

#include <algorithm>
#include <stdexcept>

namespace carrack::tests {
namespace {

constexpr std::chrono::seconds read_timeout{60};

void remove_framing(Fields& headers) {
  for (const char* name : {"Connection", "Keep-Alive", "Content-Length", "Transfer-Encoding", "Expect"}) {
    remove_header(headers, name);
  }
}

bool has_body(const Request& request, int status) {
  return request.method != "HEAD" && status != 204 && status != 304;
}

}  // namespace

std::optional<std::string> Upstream::try_exchange(const std::string& head, const std::string& body) {
  if (!connection_) connection_ = std::make_unique<Connection>(address_, read_timeout, sockets_);
  if (!connection_->write(head) || !connection_->write(body)) return std::nullopt;
  return connection_->read_head();
}

ReplyHead Upstream::exchange(const Request& request) {
  if (unread_ > 0) connection_.reset();  // The client of the last reply left before its end.
  unread_ = 0;
  RequestHead head{request.method, to_text(request.target), request.headers};
  remove_framing(head.headers);
  remove_header(head.headers, "Host");
  head.headers.emplace_back("Host", address_.host + ":" + std::to_string(address_.port));
  head.headers.emplace_back("Content-Length", std::to_string(request.body.size()));
  const bool kept = connection_ != nullptr;
  std::optional<std::string> text = try_exchange(to_text(head), request.body);
  if (!text && kept) {  // The server may have closed an idle connection.
    connection_.reset();
    text = try_exchange(to_text(head), request.body);
  }
  const std::optional<ReplyHead> reply = text ? reply_head_from(*text) : std::nullopt;
  if (!reply) {
    connection_.reset();
    throw std::runtime_error("no answer from " + address_.host + ":" + std::to_string(address_.port));
  }
  return *reply;
}

Reply Upstream::send(const Request& request) {
  ReplyHead head = exchange(request);
  Reply reply{head.status, std::move(head.headers), ""};
  const auto append = [&](std::string_view piece) { reply.body += piece; };
  if (has_body(request, reply.status) && !connection_->read_body(reply.headers, append)) {
    connection_.reset();
    throw std::runtime_error("the server broke off its answer");
  }
  if (request.method != "HEAD") remove_framing(reply.headers);
  return reply;
}

Reply Upstream::open(const Request& request) {
  ReplyHead head = exchange(request);
  Reply reply{head.status, std::move(head.headers), ""};
  if (!has_body(request, reply.status)) return reply;
  if (const auto length = header(reply.headers, "Content-Length")) {
    reply.streamed = unread_ = std::stoull(*length);
  } else if (!connection_->read_body(reply.headers, [&](std::string_view piece) { reply.body += piece; })) {
    throw std::runtime_error("the server broke off its answer");
  }
  remove_framing(reply.headers);
  return reply;
}

std::size_t Upstream::read(char* into, std::size_t size) {
  const std::size_t got =
      connection_->read_some(into, static_cast<std::size_t>(std::min<std::uint64_t>(size, unread_)));
  unread_ -= got;
  return got;
}

}  // namespace carrack::tests
