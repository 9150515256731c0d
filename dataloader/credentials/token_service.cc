#include "dataloader/credentials/token_service.h"

#include <thread>

#include "dataloader/error.h"
#include "dataloader/http/connections.h"

namespace carrack::data {
namespace {

constexpr std::size_t reply_bytes_max = std::size_t{64} << 10;

bool is_success(const HttpReply& reply) {
  return reply.is_complete && reply.status == 200;
}

[[noreturn]] void throw_failure(const TokenRequest& request, const HttpReply& reply, const std::string& origin,
                                const std::string& advice) {
  const std::string text = origin + ": " + without_query(request.url) + ": " + failure_text(request, reply);
  if (is_transient(reply)) throw Error(text);
  throw Refused(reply.is_complete ? text + "; " + advice : text);
}

Token token_in(const TokenRequest& request, const HttpReply& reply, const std::string& origin,
               const std::string& advice) {
  if (!is_success(reply)) throw_failure(request, reply, origin, advice);
  const std::optional<Token> token = parse_token(request, reply.body);
  if (!token) throw Error(origin + ": " + without_query(request.url) + ": answered without a token that can be used");
  return *token;
}

}  // namespace

HttpReply TokenService::send_with_retries(const TokenRequest& request, const RetryLimits& retries,
                                          HttpTimeouts timeouts) const {
  timeouts.deadline = deadline_;
  HttpConnections connections(request.url.endpoint, timeouts, {.proxies = proxies_});
  HttpRequest bounded = request.http;
  bounded.body_bytes_max = reply_bytes_max;
  for (Backoff backoff(retries, settings_.jitter_seed);;) {
    HttpReply reply = connections.send(bounded);
    const auto delay = is_transient(reply) ? backoff.next() : std::nullopt;
    if (!delay || std::chrono::steady_clock::now() + *delay >= deadline_) return reply;
    if (settings_.sleep) {
      settings_.sleep(*delay);
    } else {
      std::this_thread::sleep_for(*delay);
    }
  }
}

std::string TokenService::reply_body(const TokenRequest& request, const std::string& origin) const {
  const HttpReply reply = send_with_retries(request, settings_.retries, {.silence = settings_.silence});
  if (!is_success(reply)) throw_failure(request, reply, origin, "look at credential_source.url and its headers");
  return reply.body;
}

Token TokenService::token(const TokenRequest& request, const std::string& origin, const std::string& advice) const {
  const HttpReply reply = send_with_retries(request, settings_.retries, {.silence = settings_.silence});
  return token_in(request, reply, origin, advice);
}

std::optional<Token> TokenService::metadata_token(const std::string& host, bool expected) const {
  // On GKE the metadata server may start half a minute after the pod, so more tries are made if one is expected.
  const RetryLimits retries = expected ? settings_.retries : RetryLimits{.tries = 3};
  const HttpTimeouts timeouts{.silence = expected ? settings_.silence : std::chrono::milliseconds(2000),
                              .connect = std::chrono::milliseconds(1000)};
  const TokenRequest request = metadata_request(host);
  const HttpReply reply = send_with_retries(request, retries, timeouts);
  // Another server may answer at this address, such as the login page of a network or a proxy. It does not send this
  // header.
  const bool is_metadata_server = reply.header("Metadata-Flavor") == "Google";
  const std::string origin = "Google Cloud credentials of this machine";
  if (expected && is_transient(reply)) throw_failure(request, reply, origin, "");
  if (!is_metadata_server) return std::nullopt;
  return token_in(request, reply, origin,
                  "give the machine, or the pod's Kubernetes service account, a service account");
}

}  // namespace carrack::data
