#include "dataloader/http/connections.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <iterator>
#include <utility>

#include "dataloader/check.h"
#include "dataloader/error.h"
#include "dataloader/http/message.h"

namespace carrack::data {
namespace {

using Clock = std::chrono::steady_clock;

Route route_to(const std::string& endpoint, const Proxies& proxies) {
  const std::optional<Server> server = server_from(endpoint);
  if (!server)
    throw Refused(endpoint + ": is not the address of a service; write http://HOST:PORT or https://HOST:PORT");
  return {*server, proxies.proxy_for(*server)};
}

// Passes a piece of the reply's body to the request's `receive`, or stores it in the reply. The end of a long error
// body is dropped; `body_bytes` counts both stored and dropped bytes. Returns false, with the reply's `failure` set, if
// the request has to end.
bool take_piece(HttpReply& reply, std::size_t& body_bytes, const HttpRequest& request,
                std::span<const std::byte> piece) {
  const bool has_content = is_content(reply.status);
  if (request.receive && has_content) {
    if (request.receive(reply, piece)) return true;
    reply.failure = "more came than was taken";
    return false;
  }
  body_bytes += piece.size();
  if (body_bytes > request.body_bytes_max) {
    reply.failure = "the answer is longer than " + std::to_string(request.body_bytes_max) + " bytes";
    return false;
  }
  const std::size_t room = has_content ? piece.size() : error_body_bytes_max - reply.body.size();
  reply.body.append(reinterpret_cast<const char*>(piece.data()), std::min(piece.size(), room));
  return true;
}

}  // namespace

// A socket and the bytes that were read from it but not used yet.
class HttpConnections::Connection {
 public:
  Connection(const Addresses& addresses, const Route& route, SSL_CTX* context, HttpTimeouts timeouts, Stop* stop)
      : host_(route.server.name), socket_(addresses, route, context, timeouts, stop) {}

  // Returns true if another request may be sent. A connection that was idle for longer than `idle_max` is not used
  // again: a device on the way to the server may have dropped it without notice to either end.
  bool may_serve(std::chrono::milliseconds idle_max) const {
    return Clock::now() - idle_since_ <= idle_max && begin_ == end_ && socket_.is_idle();
  }
  void set_idle_now() { idle_since_ = Clock::now(); }
  bool set_stop(Stop* stop) { return socket_.set_stop(stop); }

  // Sends the request and fills `reply`. Returns true if the connection may serve another request.
  bool exchange(const HttpRequest& request, HttpReply& reply) {
    // If connecting failed, nothing is read. A proxy that refuses the connection may have sent bytes, which must not be
    // mistaken for the server's reply.
    if (!socket_.failure().empty()) return fail(reply, socket_.failure());
    socket_.restart_pace();
    const bool sent = socket_.write(request_head(request, host_)) && socket_.write(request.body);
    // A server that closes the connection before it has read the whole request may have sent a reply that says why, so
    // the reply is read even if writing failed.
    const std::string write_failure = sent ? "" : socket_.allow_reading_after_failed_write();
    socket_.restart_pace();
    if (const std::string failure = read_head(reply); !failure.empty())
      return fail(reply, sent ? failure : write_failure);
    return read_body(request, reply) && sent && keeps_connection(reply);
  }

 private:
  bool fail(HttpReply& reply, const std::string& reason) const {
    reply.failure = reason;
    reply.is_permanent = socket_.is_permanent();
    return false;
  }

  std::string_view unused() const { return {reinterpret_cast<const char*>(buffer_.data()) + begin_, end_ - begin_}; }

  // Reads more bytes into the buffer. Returns false if no more came, or if unused bytes fill the whole buffer.
  bool fill() {
    if (begin_ == end_) begin_ = end_ = 0;
    if (end_ == buffer_.size()) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      end_ -= std::exchange(begin_, 0);
    }
    const std::size_t size = end_ < buffer_.size() ? socket_.read(std::span(buffer_).subspan(end_)) : 0;
    end_ += size;
    return size > 0;
  }

  // Reads the head of the reply, and skips interim replies (1xx). Returns why there is no reply; empty if there is one.
  std::string read_head(HttpReply& reply) {
    constexpr std::string_view blank_line = "\r\n\r\n";
    constexpr int interim_max = 16;
    for (int interim = 0; interim <= interim_max; ++interim) {
      std::size_t end = unused().find(blank_line);
      for (; end == std::string_view::npos; end = unused().find(blank_line)) {
        if (!fill())
          return socket_.failure().empty() ? "the head of its reply is longer than 64 KiB" : socket_.failure();
      }
      std::optional<HttpReply> head = parse_reply_head(unused().substr(0, end + blank_line.size()));
      if (!head) return "the reply is not HTTP";
      begin_ += end + blank_line.size();
      if (head->status >= 200) {
        reply = std::move(*head);
        return "";
      }
    }
    return "more than 16 replies came that only announce one";
  }

  // Lets request.receive_in_place() read the next bytes of the body from the socket straight into its own memory.
  // Returns false if the caller must read the next bytes instead: the callback is missing, does not apply to this
  // reply, or has not called its `read`, or the connection has failed.
  bool read_in_place(BodyDecoder& body, const HttpRequest& request, const HttpReply& reply) {
    if (!request.receive_in_place || body.counted_bytes_left() == 0 || !is_content(reply.status)) return false;
    bool called_back = false;
    std::size_t size = 0;
    request.receive_in_place(reply, [&](std::span<std::byte> into) {
      called_back = true;
      into = into.first(std::min<std::uint64_t>(into.size(), body.counted_bytes_left() - size));
      const std::size_t received = into.empty() ? 0 : socket_.read_now(into);
      size += received;
      return received;
    });
    body.consume(size);
    return called_back && (size > 0 || socket_.wait_for_more());
  }

  // Reads the body. Returns true if the connection is still open at the end of the body. If a reply has no length, the
  // end of the connection ends the body; the reply can then be complete, although this function returns false.
  bool read_body(const HttpRequest& request, HttpReply& reply) {
    BodyDecoder body(reply);
    std::size_t body_bytes = 0;
    while (!body.is_over()) {
      if (body.is_broken()) {
        reply.failure = "its reply " + body.problem();
        return false;
      }
      if (begin_ == end_ && read_in_place(body, request, reply)) continue;
      if (begin_ == end_ && !fill()) {
        reply.is_complete = body.ends_with_connection() && socket_.closed_cleanly();
        if (!reply.is_complete) reply.failure = socket_.failure();
        return false;
      }
      CHECK_LE(begin_, end_);
      const BodyDecoder::Step step = body.step(std::span(buffer_).subspan(begin_, end_ - begin_));
      begin_ += step.consumed;
      if (!step.content.empty() && !take_piece(reply, body_bytes, request, step.content)) return false;
    }
    reply.is_complete = true;
    return true;
  }

  const std::string host_;
  Socket socket_;
  std::array<std::byte, std::size_t{64} << 10> buffer_;  // Fits into a core's cache; much larger ones are slower.
  std::size_t begin_ = 0;                                // The unused bytes are buffer_[begin_] to buffer_[end_ - 1].
  std::size_t end_ = 0;
  Clock::time_point idle_since_ = Clock::now();
};

HttpConnections::HttpConnections(const std::string& endpoint, HttpTimeouts timeouts, const HttpNetwork& network)
    : endpoint_(endpoint),
      route_(route_to(endpoint, network.proxies)),
      timeouts_(timeouts),
      addresses_(route_.proxy ? route_.proxy->server : route_.server, network.find) {
  if (route_.server.tls) tls_ = tls_context();
}

HttpConnections::~HttpConnections() = default;

HttpReply HttpConnections::send(const HttpRequest& request) {
  std::unique_ptr<Connection> connection = take(request.stop);
  HttpReply reply;
  const bool is_reusable = connection->exchange(request, reply) && connection->set_stop(nullptr);
  if (is_reusable && (request.stop == nullptr || !request.stop->stopped())) give_back(std::move(connection));
  const std::string via = route_.proxy ? " through the proxy " + route_.proxy->name : "";
  if (!reply.is_complete) reply.failure = "no answer from " + endpoint_ + via + " (" + reply.failure + ")";
  return reply;
}

std::unique_ptr<HttpConnections::Connection> HttpConnections::take(Stop* stop) {
  for (;;) {
    std::unique_ptr<Connection> idle;
    {
      const MutexLock lock(mutex_);
      if (idle_.empty()) break;
      idle = std::move(idle_.back());
      idle_.pop_back();
    }
    if (!idle->may_serve(timeouts_.idle)) continue;
    idle->set_stop(stop);
    return idle;
  }
  const Addresses addresses = addresses_.addresses(until_deadline(timeouts_, timeouts_.connect), stop);
  return std::make_unique<Connection>(addresses, route_, tls_.get(), timeouts_, stop);
}

void HttpConnections::give_back(std::unique_ptr<Connection> connection) {
  connection->set_idle_now();
  // Destroyed after `lock`, so that these connections are closed after the mutex is unlocked.
  std::vector<std::unique_ptr<Connection>> old;
  const MutexLock lock(mutex_);
  idle_.push_back(std::move(connection));
  // The connection that has been idle for the longest time is the first.
  const auto young = std::ranges::find_if(idle_, [this](const auto& one) { return one->may_serve(timeouts_.idle); });
  old.assign(std::make_move_iterator(idle_.begin()), std::make_move_iterator(young));
  idle_.erase(idle_.begin(), young);
}

}  // namespace carrack::data
