#include "dataloader/credentials/token_request.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "dataloader/storage/gcs/gcs_text.h"

namespace carrack::data {
namespace {

using nlohmann::json;
using Form = std::vector<std::pair<std::string, std::string>>;

TokenRequest form_request(const ServiceUrl& url, const Form& form, std::vector<std::string> secrets) {
  std::string body;
  for (const auto& [name, value] : form) {
    body += (body.empty() ? "" : "&") + name + "=" + percent_encoded(value);
  }
  return {url,
          {"POST", url.target, {{"Content-Type", "application/x-www-form-urlencoded"}}, body},
          std::move(secrets),
          std::nullopt};
}

// Returns the string at `key`; empty if the key is missing or its value is not a string.
std::string string_in(const json& object, const char* key) {
  if (!object.is_object()) return "";
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

// True if the token can become part of an HTTP header.
bool is_sendable(const std::string& token) {
  return !token.empty() && std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < 127; });
}

// Returns the reason for a failure from the body of a reply. OAuth services send {"error": "invalid_grant",
// "error_description": "..."}, Google's other services {"error": {"message": "..."}}. Empty for other bodies, which may
// contain anything.
std::string reason_in(const std::string& body) {
  const json reply = json::parse(body, nullptr, false);
  const std::string error = string_in(reply, "error");
  if (error.empty()) return reply.is_object() && reply.contains("error") ? string_in(reply["error"], "message") : "";
  const std::string description = string_in(reply, "error_description");
  return description.empty() ? error : error + ": " + description;
}

}  // namespace

TokenRequest refresh_request(const AuthorizedUser& user) {
  return form_request(user.token_url,
                      {{"grant_type", "refresh_token"},
                       {"client_id", user.client_id},
                       {"client_secret", user.client_secret},
                       {"refresh_token", user.refresh_token}},
                      {user.client_secret, user.refresh_token});
}

TokenRequest exchange_request(const ExternalAccount& account, const std::string& subject_token) {
  return form_request(account.token_url,
                      {{"grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"},
                       {"audience", account.audience},
                       {"scope", cloud_platform_scope},
                       {"requested_token_type", "urn:ietf:params:oauth:token-type:access_token"},
                       {"subject_token_type", account.subject_token_type},
                       {"subject_token", subject_token}},
                      {subject_token});
}

TokenRequest impersonation_request(const Impersonation& impersonation, const Token& source) {
  json body{{"scope", {cloud_platform_scope}}, {"lifetime", std::to_string(impersonation.lifetime.count()) + "s"}};
  if (!impersonation.delegates.empty()) body["delegates"] = impersonation.delegates;
  return {impersonation.url,
          {"POST",
           impersonation.url.target,
           {{"Authorization", "Bearer " + source.text}, {"Content-Type", "application/json"}},
           body.dump(),
           {}},
          {source.text},
          impersonation.lifetime};
}

TokenRequest metadata_request(const std::string& host) {
  const ServiceUrl url{"http://" + host, "/computeMetadata/v1/instance/service-accounts/default/token"};
  return {url, {"GET", url.target, {{"Metadata-Flavor", "Google"}}}, {}, std::nullopt};
}

TokenRequest subject_request(const SubjectUrl& subject) {
  std::vector<std::string> secrets;
  for (const auto& [name, value] : subject.headers) secrets.push_back(value);
  return {subject.url, {"GET", subject.url.target, subject.headers}, secrets, std::nullopt};
}

std::optional<Token> parse_token(const TokenRequest& request, const std::string& body) {
  constexpr std::chrono::seconds default_lifetime{3600};  // Google's tokens have this lifetime.
  constexpr std::chrono::seconds lifetime_max{43'200};
  const json reply = json::parse(body, nullptr, false);
  const std::string token = string_in(reply, request.lifetime ? "accessToken" : "access_token");
  if (!is_sendable(token)) return std::nullopt;
  if (request.lifetime) return Token{token, *request.lifetime};
  const auto expires_in = reply.find("expires_in");
  if (expires_in == reply.end()) return Token{token, default_lifetime};
  if (!expires_in->is_number_integer() || expires_in->get<double>() <= 0) return std::nullopt;
  const double seconds = std::min(expires_in->get<double>(), static_cast<double>(lifetime_max.count()));
  return Token{token, std::chrono::seconds(static_cast<std::int64_t>(seconds))};
}

std::string failure_text(const TokenRequest& request, const HttpReply& reply) {
  constexpr std::size_t shown_max = 300;
  if (!reply.is_complete) return reply.failure;
  std::string reason = reason_in(reply.body);
  for (const std::string& secret : request.secrets) {
    reason = redacted(redacted(reason, secret), percent_encoded(secret));
  }
  std::replace_if(
      reason.begin(), reason.end(), [](unsigned char c) { return c < ' ' || c == 127; }, ' ');
  return "HTTP " + std::to_string(reply.status) + (reason.empty() ? "" : ": " + reason.substr(0, shown_max));
}

}  // namespace carrack::data
