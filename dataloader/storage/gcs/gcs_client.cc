#include "dataloader/storage/gcs/gcs_client.h"

#include <thread>

#include "dataloader/error.h"
#include "dataloader/storage/gcs/gcs_text.h"

namespace carrack::data {
namespace {

std::string in_words(const HttpReply& reply) {
  if (!reply.whole) return reply.failure;
  const std::string reason = reason_from(reply.body);
  return "HTTP " + std::to_string(reply.status) + (reason.empty() ? "" : ": " + reason);
}

std::string advice(int status) {
  switch (status) {
    case 401:
      return "; check the credentials";
    case 403:
      return "; give the account the right to do this";
    case 404:
      return "; check that the bucket exists";
    default:
      return "";
  }
}

}  // namespace

GcsClient::GcsClient(GcsClientSettings settings)
    : settings_(std::move(settings)),
      connections_(settings_.endpoint, settings_.timeouts, {.proxies = settings_.proxies}) {}

HttpReply GcsClient::send(HttpRequest request) {
  // A compressed object is sent as it is stored, so that ranges are those asked for; a reply in words is sent plain.
  request.headers.emplace_back("Accept-Encoding", request.receive ? "gzip" : "identity");
  HttpReply reply = settings_.token ? send_with_token(std::move(request)) : connections_.send(request);
  if (!is_transient(reply)) quick_retries_.earn();
  return reply;
}

HttpReply GcsClient::send_with_token(HttpRequest request) {
  std::string& authorization = request.headers.emplace_back("Authorization", "").second;
  const auto send_as = [&](const std::string& token) {
    authorization = "Bearer " + token;
    HttpReply reply = connections_.send(request);
    reply.body = without(reply.body, token);  // What a service says may show what was sent.
    return reply;
  };
  const std::string token = settings_.token("");
  HttpReply reply = send_as(token);
  if (reply.status != 401) return reply;
  // Tokens end before their time: they are withdrawn, and clocks differ.
  const std::string fresh = settings_.token(token);
  return fresh == token ? reply : send_as(fresh);
}

HttpReply GcsClient::send_until_answered(const std::string& url, const HttpRequest& request) {
  for (Backoff tries = backoff();;) {
    HttpReply reply = send(request);
    if (!is_transient(reply)) return reply;
    wait(tries, url, reply);
  }
}

Backoff GcsClient::backoff() {
  return {settings_.retries, settings_.jitter_seed + operations_++};
}

void GcsClient::wait(Backoff& backoff, const std::string& url, const HttpReply& failed) {
  std::this_thread::sleep_for(due(backoff, url, failed));
}

std::chrono::milliseconds GcsClient::due(Backoff& backoff, const std::string& url, const HttpReply& failed) {
  const auto delay = backoff.next(quick_retries_.spend());
  if (!delay) {
    throw Error(url + ": gave up after " + std::to_string(backoff.failed()) +
                " tries, the last one: " + in_words(failed));
  }
  if (!settings_.sleep) return *delay;
  settings_.sleep(*delay);
  return {};
}

void throw_unexpected(const std::string& url, const HttpReply& reply) {
  const std::string text = url + ": " + in_words(reply) + advice(reply.status);
  if (reply.hopeless || (reply.status >= 400 && reply.status < 500)) throw Refused(text);
  throw Error(text);
}

}  // namespace carrack::data
