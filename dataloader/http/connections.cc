#include "dataloader/http/connections.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <iterator>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/http/message.h"

namespace carrack::data {
namespace {

using Clock = std::chrono::steady_clock;

Route route_to(const std::string& endpoint, const Proxies& proxies) {
  try {
    const Server server = server_from(endpoint);
    return {server, proxies.to(server)};
  } catch (const Refused&) {
    throw Refused(endpoint + ": is no address of a service; write http://HOST:PORT or https://HOST:PORT");
  }
}

// Takes a piece of the reply's body. Returns false if the request has to end.
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

// A socket and what has come on it and was not taken yet.
class HttpConnections::Connection {
 public:
  Connection(const Addresses& addresses, const Route& route, SSL_CTX* context, HttpTimeouts timeouts, Stop* stop)
      : host_(route.server.name), socket_(addresses, route, context, timeouts, stop) {}

  // What was idle for long may have been forgotten on the way here, without a word to either end.
  bool may_serve(std::chrono::milliseconds longest_idle) const {
    return Clock::now() - idle_since_ <= longest_idle && begin_ == end_ && socket_.is_idle();
  }
  void is_idle_now() { idle_since_ = Clock::now(); }
  bool watched_by(Stop* stop) { return socket_.watched_by(stop); }

  // Whether it may serve another request.
  bool exchange(const HttpRequest& request, HttpReply& reply) {
    // What is no connection to that server yet must not be spoken on: who refuses on the way there is not it.
    if (!socket_.failure().empty()) return fails(reply, socket_.failure());
    socket_.turn();
    const bool sent = socket_.write(head_of(request, host_)) && socket_.write(request.body);
    // Who does not take all of a request may have said why.
    const std::string unsent = sent ? "" : socket_.hear_out();
    socket_.turn();
    if (const std::string failure = read_head(reply); !failure.empty()) return fails(reply, sent ? failure : unsent);
    return read_body(request, reply) && sent && keeps_connection(reply);
  }

 private:
  bool fails(HttpReply& reply, const std::string& why) const {
    reply.failure = why;
    reply.hopeless = socket_.is_hopeless();
    return false;
  }

  std::string_view held() const { return {reinterpret_cast<const char*>(buffer_.data()) + begin_, end_ - begin_}; }

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

  // Why there is none; nothing where there is. What is only on the way to a reply is passed over.
  std::string read_head(HttpReply& reply) {
    constexpr std::string_view blank_line = "\r\n\r\n";
    constexpr int most_passed_over = 16;
    for (int passed_over = 0; passed_over <= most_passed_over; ++passed_over) {
      std::size_t end = held().find(blank_line);
      for (; end == std::string_view::npos; end = held().find(blank_line)) {
        if (!fill())
          return socket_.failure().empty() ? "the head of its reply is longer than 64 KiB" : socket_.failure();
      }
      std::optional<HttpReply> head = reply_from(held().substr(0, end + blank_line.size()));
      if (!head) return "what came is no HTTP";
      begin_ += end + blank_line.size();
      if (head->status >= 200) {
        reply = std::move(*head);
        return "";
      }
    }
    return "more than 16 replies came that only announce one";
  }

  // Whether some came that way, or may yet.
  bool read_in_place(Body& body, const HttpRequest& request, const HttpReply& reply) {
    if (!request.receive_in_place || body.counted() == 0 || !is_content(reply.status)) return false;
    bool asked = false;
    std::size_t size = 0;
    request.receive_in_place(reply, [&](std::span<std::byte> into) {
      asked = true;
      into = into.first(std::min<std::uint64_t>(into.size(), body.counted() - size));
      const std::size_t come = into.empty() ? 0 : socket_.read_now(into);
      size += come;
      return come;
    });
    body.take(size);
    return asked && (size > 0 || socket_.wait_for_more());
  }

  // Whether the connection stands at its end; it may be whole also where that has ended.
  bool read_body(const HttpRequest& request, HttpReply& reply) {
    Body body(reply);
    std::size_t body_bytes = 0;
    while (!body.over()) {
      if (body.broken()) {
        reply.failure = "its reply " + body.flaw();
        return false;
      }
      if (begin_ == end_ && read_in_place(body, request, reply)) continue;
      if (begin_ == end_ && !fill()) {
        reply.whole = body.ends_with_connection() && socket_.ended_in_order();
        if (!reply.whole) reply.failure = socket_.failure();
        return false;
      }
      const Body::Step step = body.step(std::span(buffer_).subspan(begin_, end_ - begin_));
      begin_ += step.taken;
      if (!step.content.empty() && !take_piece(reply, body_bytes, request, step.content)) return false;
    }
    reply.whole = true;
    return true;
  }

  const std::string host_;
  Socket socket_;
  std::array<std::byte, std::size_t{64} << 10> buffer_;  // Much larger is slower: it must stay in a core's cache.
  std::size_t begin_ = 0;
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
  const bool kept = connection->exchange(request, reply) && connection->watched_by(nullptr);
  if (kept && (request.stop == nullptr || !request.stop->stopped())) give_back(std::move(connection));
  const std::string way = route_.proxy ? " through the proxy " + route_.proxy->name : "";
  if (!reply.whole) reply.failure = "no answer from " + endpoint_ + way + " (" + reply.failure + ")";
  return reply;
}

std::unique_ptr<HttpConnections::Connection> HttpConnections::take(Stop* stop) {
  for (;;) {
    std::unique_ptr<Connection> kept;
    {
      const std::lock_guard lock(mutex_);
      if (idle_.empty()) break;
      kept = std::move(idle_.back());
      idle_.pop_back();
    }
    if (!kept->may_serve(timeouts_.idle)) continue;
    kept->watched_by(stop);
    return kept;
  }
  const Addresses addresses = addresses_.addresses(until_deadline(timeouts_, timeouts_.connect), stop);
  return std::make_unique<Connection>(addresses, route_, tls_.get(), timeouts_, stop);
}

void HttpConnections::give_back(std::unique_ptr<Connection> connection) {
  connection->is_idle_now();
  std::vector<std::unique_ptr<Connection>> old;  // They are closed after the lock.
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(connection));
  // The longest idle ones are in front.
  const auto young = std::ranges::find_if(idle_, [this](const auto& one) { return one->may_serve(timeouts_.idle); });
  old.assign(std::make_move_iterator(idle_.begin()), std::make_move_iterator(young));
  idle_.erase(idle_.begin(), young);
}

}  // namespace carrack::data
