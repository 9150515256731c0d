#include "dataloader/credentials/token_service.h"

#include <thread>

#include "dataloader/error.h"
#include "dataloader/http/connections.h"

namespace carrack::data {
namespace {

// As of a file of credentials.
constexpr std::size_t longest_answer = std::size_t{64} << 10;

bool is_success(const HttpReply& reply) {
  return reply.is_complete && reply.status == 200;
}

[[noreturn]] void throw_failure(const TokenRequest& request, const HttpReply& reply, const std::string& origin,
                                const std::string& advice) {
  const std::string text = origin + ": " + without_query(request.url) + ": " + failure_in(request, reply);
  if (is_transient(reply)) throw Error(text);
  throw Refused(reply.is_complete ? text + "; " + advice : text);
}

}  // namespace

HttpReply TokenService::ask(const TokenRequest& request, const RetryLimits& retries, HttpTimeouts timeouts) const {
  timeouts.deadline = deadline_;
  HttpConnections connections(request.url.endpoint, timeouts, {.proxies = proxies_});
  HttpRequest bounded = request.http;
  bounded.body_bytes_max = longest_answer;
  for (Backoff tries(retries, settings_.jitter_seed);;) {
    HttpReply reply = connections.send(bounded);
    const auto delay = is_transient(reply) ? tries.next() : std::nullopt;
    if (!delay || std::chrono::steady_clock::now() + *delay >= deadline_) return reply;
    if (settings_.sleep) {
      settings_.sleep(*delay);
    } else {
      std::this_thread::sleep_for(*delay);
    }
  }
}

std::string TokenService::body(const TokenRequest& request, const std::string& origin) const {
  const HttpReply reply = ask(request, settings_.retries, {.silence = settings_.silence});
  if (!is_success(reply)) throw_failure(request, reply, origin, "look at credential_source.url and its headers");
  return reply.body;
}

Token TokenService::token(const TokenRequest& request, const std::string& origin, const std::string& advice) const {
  const HttpReply reply = ask(request, settings_.retries, {.silence = settings_.silence});
  if (!is_success(reply)) throw_failure(request, reply, origin, advice);
  const std::optional<Token> token = token_in(request, reply.body);
  if (!token) throw Error(origin + ": " + without_query(request.url) + ": answered without a token that can be used");
  return *token;
}

std::optional<Token> TokenService::metadata_token(const std::string& host, bool expected) const {
  // A pod's may begin to serve half a minute after the pod.
  const RetryLimits retries = expected ? settings_.retries : RetryLimits{.tries = 3};
  const HttpTimeouts timeouts{.silence = expected ? settings_.silence : std::chrono::milliseconds(2000),
                              .connect = std::chrono::milliseconds(1000)};
  const TokenRequest request = metadata_request(host);
  const HttpReply reply = ask(request, retries, timeouts);
  // Whoever else is there, a portal or a proxy, does not say this.
  const bool google = reply.header("Metadata-Flavor") == "Google";
  const std::string origin = "Google Cloud credentials of this machine";
  if (expected && is_transient(reply)) throw_failure(request, reply, origin, "");
  if (!google) return std::nullopt;
  if (!is_success(reply)) {
    throw_failure(request, reply, origin,
                  "give the machine, or the pod's Kubernetes service account, a service account");
  }
  std::optional<Token> token = token_in(request, reply.body);
  if (!token) throw Error(origin + ": " + without_query(request.url) + ": answered without a token that can be used");
  return token;
}

}  // namespace carrack::data
