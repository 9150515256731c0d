#include "dataloader/storage/gcs/gcs_client.h"

#include <thread>

#include "dataloader/error.h"
#include "dataloader/storage/gcs/gcs_text.h"

namespace carrack::data {
namespace {

std::string describe(const HttpReply& reply) {
  if (!reply.is_complete) return reply.failure;
  const std::string reason = reason_from(reply.body);
  return "HTTP " + std::to_string(reply.status) + (reason.empty() ? "" : ": " + reason);
}

std::string advice_for(int status) {
  if (status == 401) return "; check the credentials";
  if (status == 403) return "; give the account the right to do this";
  return status == 404 ? "; check that the bucket exists" : "";
}

}  // namespace

GcsClient::GcsClient(GcsClientSettings settings)
    : settings_(std::move(settings)),
      connections_(settings_.endpoint, settings_.timeouts, {.proxies = settings_.proxies}) {}

HttpReply GcsClient::send(HttpRequest request) {
  // Accepting gzip makes the service send the content of a compressed object as it is stored, so that ranges count
  // stored bytes. Other replies must not be compressed.
  request.headers.emplace_back("Accept-Encoding", request.receive ? "gzip" : "identity");
  HttpReply reply = settings_.token ? send_with_token(std::move(request)) : connections_.send(request);
  if (!is_transient(reply)) quick_retries_.earn();
  return reply;
}

HttpReply GcsClient::send_with_token(HttpRequest request) {
  std::string& authorization = request.headers.emplace_back("Authorization", "").second;
  const auto send_with = [&](const std::string& token) {
    authorization = "Bearer " + token;
    HttpReply reply = connections_.send(request);
    reply.body = redacted(reply.body, token);  // The service may quote the request, with its token, in an error.
    return reply;
  };
  const std::string token = settings_.token("");
  HttpReply reply = send_with(token);
  if (reply.status != 401) return reply;
  // The token may have been revoked, or clocks may differ. So this tries once more if there is another token.
  const std::string fresh = settings_.token(token);
  return fresh == token ? reply : send_with(fresh);
}

HttpReply GcsClient::send_with_retries(const std::string& url, const HttpRequest& request) {
  for (Backoff backoff = this->backoff();;) {
    HttpReply reply = send(request);
    if (!is_transient(reply)) return reply;
    wait(backoff, url, reply);
  }
}

Backoff GcsClient::backoff() {
  return {settings_.retries, settings_.jitter_seed + operations_++};
}

void GcsClient::wait(Backoff& backoff, const std::string& url, const HttpReply& failed) {
  std::this_thread::sleep_for(retry_delay(backoff, url, failed));
}

std::chrono::milliseconds GcsClient::retry_delay(Backoff& backoff, const std::string& url, const HttpReply& failed) {
  const auto delay = quick_retries_.spend() ? backoff.next() : backoff.next_longest();
  if (!delay) {
    throw Error(url + ": gave up after " + std::to_string(backoff.failed()) +
                " tries, the last one: " + describe(failed));
  }
  if (!settings_.sleep) return *delay;
  settings_.sleep(*delay);
  return {};
}

ObjectResource object_in(const std::string& url, const HttpReply& reply) {
  const auto object = reply.status == 200 || reply.status == 201 ? object_from(reply.body) : std::nullopt;
  if (!object) throw_unexpected(url, reply);
  return *object;
}

void throw_unexpected(const std::string& url, const HttpReply& reply) {
  const std::string text = url + ": " + describe(reply) + advice_for(reply.status);
  if (reply.is_permanent || (reply.status >= 400 && reply.status < 500)) throw Refused(text);
  throw Error(text);
}

}  // namespace carrack::data
