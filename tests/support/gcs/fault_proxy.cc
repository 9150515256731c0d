#include "tests/support/gcs/fault_proxy.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <vector>

#include "tests/support/gcs/faults_json.h"
#include "tests/support/gcs/gcs_reply.h"
#include "tests/support/gcs/pace.h"

namespace carrack::tests {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

template <typename Kind>
const Kind* ending_of(const Play& play) {
  return play.ending ? std::get_if<Kind>(&*play.ending) : nullptr;
}

Pace pace_of(const Play& play) {
  return Pace(play.slow ? play.slow->bytes_per_second : std::nullopt, Clock::now());
}

}  // namespace

json to_json(const Counters& counters) {
  return {{"requests", counters.requests},
          {"bytes_received", counters.bytes_received},
          {"bytes_sent", counters.bytes_sent},
          {"methods", counters.methods},
          {"faults", counters.faults}};
}

FaultProxy::FaultProxy(const std::string& upstream, const Address& listen_on, bool holds_objects)
    : upstream_(address_from(upstream)), host_(listen_on.host), listener_(listen_on, sockets_), gcs_(holds_objects) {
  accepting_ = std::jthread([this] { accept_connections(); });
}

FaultProxy::~FaultProxy() {
  stopping_ = true;
  sockets_.shut();
  accepting_.join();
  workers_.clear();
}

std::string FaultProxy::url() const {
  return "http://" + host_ + ":" + std::to_string(listener_.port());
}

void FaultProxy::set(Faults faults) {
  const MutexLock lock(mutex_);
  script_ = FaultScript(std::move(faults));
  counters_ = {};
}

Faults FaultProxy::faults() const {
  const MutexLock lock(mutex_);
  return script_.faults();
}

Counters FaultProxy::counters() const {
  const MutexLock lock(mutex_);
  return counters_;
}

void FaultProxy::accept_connections() {
  while (const std::optional<int> socket = listener_.accept()) {
    std::erase_if(workers_, [](const Worker& worker) { return worker.done.load(); });
    Worker& worker = workers_.emplace_back();
    worker.thread = std::jthread([this, &worker, client = *socket] {
      serve(client);
      worker.done = true;
    });
  }
}

void FaultProxy::serve(int socket) {
  Connection client(socket, sockets_);
  Upstream upstream(upstream_, sockets_);
  while (serve_one(client, upstream)) {
  }
}

bool FaultProxy::serve_one(Connection& client, Upstream& upstream) {
  const std::optional<std::string> text = client.read_head();
  std::optional<RequestHead> head = text ? request_head_from(*text) : std::nullopt;
  if (!head) return false;
  Request request{head->method, target_from(head->target), std::move(head->headers), ""};
  const bool for_us = request.target.path == "/_faults";
  const Play play = for_us ? Play() : next_play(request);
  if (header(request.headers, "Expect") && !client.write("HTTP/1.1 100 Continue\r\n\r\n")) return false;

  const Pace pace = pace_of(play);
  const bool whole = client.read_body(request.headers, [&](std::string_view piece) {
    request.body += piece;
    wait_until(pace.due(request.body.size()));
  });
  if (!whole) return false;
  if (for_us) return serve_faults(client, request);
  {
    const MutexLock lock(mutex_);
    counters_.bytes_received += request.body.size();
  }
  if (ending_of<LoseRequest>(play) != nullptr) {
    count_fault("lose_request");
    return false;
  }
  const Clock::time_point received = Clock::now();
  const Reply reply = reply_to(request, upstream, play);
  if (reply.persisted_less) count_fault("persist");
  if (ending_of<LoseReply>(play) != nullptr) {
    count_fault("lose_reply");
    return false;
  }
  if (play.slow) {
    count_fault("slow");
    if (!wait_until(received + play.slow->first_byte)) return false;
  }
  return send(client, upstream, request, reply, play) && header(request.headers, "Connection") != "close";
}

bool FaultProxy::serve_faults(Connection& client, const Request& request) {
  Reply reply{200, {{"Content-Type", "application/json"}}, ""};
  try {
    if (request.method == "PUT") set(faults_from(json::parse(request.body)));
    json state = carrack::tests::to_json(faults());
    state["counters"] = to_json(counters());
    reply.body = state.dump();
  } catch (const std::exception& error) {  // Malformed JSON or faults.
    reply = error_reply(400, error.what());
  }
  Fields headers = reply.headers;
  headers.emplace_back("Content-Length", std::to_string(reply.body.size()));
  return client.write(to_text(ReplyHead{reply.status, headers}) + reply.body);
}

Reply FaultProxy::reply_to(const Request& request, Upstream& upstream, const Play& play) {
  if (!lets_in(request)) {
    count_fault("bearer");
    return error_reply(401, "Invalid Credentials");
  }
  const auto* answer = ending_of<Answer>(play);
  if (const auto* expire = ending_of<ExpireUpload>(play)) {
    const auto id = parameter(request.target.query, "upload_id");
    if (id && gcs_.expire_upload(*id, expire->status)) count_fault("expire");
  }
  try {
    Reply reply;
    if (answer == nullptr || answer->applied) {
      const auto limit = play.persist ? std::optional(play.persist->bytes) : std::nullopt;
      reply = gcs_.handle(request, upstream, limit);
    }
    if (answer == nullptr) return reply;
  } catch (const std::exception& error) {  // The server is gone, or its answer is not what fake-gcs-server gives.
    return error_reply(502, error.what());
  }
  count_fault("answer." + std::to_string(answer->status));
  return error_reply(answer->status, "a fault of the test");
}

bool FaultProxy::send(Connection& client, Upstream& upstream, const Request& request, const Reply& reply,
                      const Play& play) {
  Fields headers = reply.headers;
  const bool framed = header(headers, "Content-Length").has_value();  // A HEAD's, which no body follows.
  if (!framed && reply.status != 204) {
    headers.emplace_back("Content-Length", std::to_string(reply.body.size() + reply.streamed));
  }
  if (!client.write(to_text(ReplyHead{reply.status, headers}))) return false;
  return request.method == "HEAD" || send_body(client, upstream, reply, play);
}

bool FaultProxy::send_body(Connection& client, Upstream& upstream, const Reply& reply, const Play& play) {
  const std::uint64_t size = reply.body.size() + reply.streamed;
  const auto* cut = ending_of<Cut>(play);
  const auto* stall = ending_of<Stall>(play);
  const std::uint64_t end = cut != nullptr ? std::min(cut->after_bytes, size) : size;
  const Pace pace = pace_of(play);
  std::vector<char> piece(pace.piece());
  std::uint64_t sent = 0;
  while (true) {
    if (stall != nullptr && sent == stall->after_bytes && sent < size) {
      count_fault("stall");
      if (!wait_until(Clock::now() + stall->lasts)) return false;
    }
    if (sent == end) break;
    std::uint64_t length = std::min<std::uint64_t>(piece.size(), end - sent);
    if (stall != nullptr && sent < stall->after_bytes) length = std::min(length, stall->after_bytes - sent);
    std::string_view next;
    if (sent < reply.body.size()) {
      next = std::string_view(reply.body).substr(sent, length);
    } else if (reply.held) {
      next = std::string_view(*reply.held).substr(reply.held_from + sent, length);
    } else {
      next = {piece.data(), upstream.read(piece.data(), length)};
    }
    sent += next.size();
    if (next.empty() || !wait_until(pace.due(sent))) return false;
    {  // Before the write: a client that has the bytes must find them counted.
      const MutexLock lock(mutex_);
      counters_.bytes_sent += next.size();
    }
    if (!client.write(next)) return false;
  }
  if (end < size) count_fault("cut");
  return end == size;
}

bool FaultProxy::wait_until(Clock::time_point when) const {
  // In slices, so that a stop is seen soon.
  constexpr Clock::duration slice = std::chrono::milliseconds(20);
  while (!stopping_) {
    const Clock::duration left = when - Clock::now();
    if (left <= Clock::duration::zero()) return true;
    std::this_thread::sleep_for(std::min(left, slice));
  }
  return false;
}

bool FaultProxy::lets_in(const Request& request) const {
  const MutexLock lock(mutex_);
  const std::string& bearer = script_.faults().bearer;
  return bearer.empty() || header(request.headers, "Authorization") == "Bearer " + bearer;
}

Play FaultProxy::next_play(const Request& request) {
  const std::string target = percent_decoded(to_text(request.target));
  const MutexLock lock(mutex_);
  ++counters_.requests;
  ++counters_.methods[request.method];
  return script_.next(request.method, target);
}

void FaultProxy::count_fault(const std::string& name) {
  const MutexLock lock(mutex_);
  ++counters_.faults[name];
}

}  // namespace carrack::tests
