#include "dataloader/credentials/credentials.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "dataloader/credentials/fields.h"
#include "dataloader/credentials/signed_token.h"
#include "dataloader/error.h"
#include "dataloader/text.h"

namespace carrack::data {
namespace {

using nlohmann::json;

ServiceAccount service_account_in(const Fields& fields) {
  ServiceAccount account{fields.text("client_email"), fields.text("private_key_id"), fields.raw_text("private_key")};
  if (!is_signing_key(account.key)) {
    fields.refuse("private_key", "is not an RSA key of 2048 bits or more in PEM; make the account a new key");
  }
  return account;
}

AuthorizedUser authorized_user_in(const Fields& fields) {
  return {fields.confidential_url_or("token_uri", "https://oauth2.googleapis.com/token"), fields.text("client_id"),
          fields.text("client_secret"), fields.text("refresh_token")};
}

// Returns the URL that serves the subject token, with which this process proves its identity. The request has secrets,
// so the URL must use https. The exception is the machine's own metadata server: it has no TLS, but its address is
// link-local, so no router forwards the request.
ServiceUrl subject_service_in(const Fields& source) {
  const ServiceUrl url = source.url("url");
  return is_link_local(url.endpoint) ? url : source.confidential_url("url");
}

SubjectUrl subject_url_in(const Fields& source) {
  SubjectUrl subject{subject_service_in(source), {}};
  if (!source.has("headers")) return subject;
  const Fields headers = source.object("headers");
  for (const std::string& name : headers.names()) {
    const bool is_sendable =
        std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c < 127 && c != ':'; });
    if (name.empty() || !is_sendable) source.refuse("headers", "has a name that no header can have");
    subject.headers.emplace_back(name, headers.text(name));
  }
  return subject;
}

void refuse_other_sources(const Fields& source) {
  constexpr std::pair<const char*, const char*> unsupported[] = {
      {"executable",
       "programs are not run for a token; have it write the token to a file, and name that in credential_source.file"},
      {"environment_id",
       "the identity of an AWS machine is not supported; name a token of the cluster's own identity provider in "
       "credential_source.file"},
      {"certificate",
       "certificates are not supported; name a token in credential_source.file or credential_source.url"}};
  for (const auto& [name, reason] : unsupported)
    if (source.has(name)) source.refuse(name, reason);
}

void refuse_people(const Fields& fields) {
  for (const std::string name : {"workforce_pool_user_project", "client_id"}) {
    if (fields.has(name)) fields.refuse(name, "belongs to a workforce pool, for people; use a workload identity pool");
  }
}

ExternalAccount external_account_in(const Fields& fields) {
  refuse_people(fields);
  ExternalAccount account{fields.confidential_url("token_url"), fields.text("audience"),
                          fields.text("subject_token_type"), SubjectFile{}, ""};
  const Fields source = fields.object("credential_source");
  refuse_other_sources(source);
  if (source.has("file") == source.has("url")) {
    fields.refuse("credential_source", "must have either file or url");
  }
  if (source.has("file")) account.subject = SubjectFile{source.text("file")};
  if (source.has("url")) account.subject = subject_url_in(source);
  if (!source.has("format")) return account;
  const Fields format = source.object("format");
  const std::string type = format.text_or("type", "text");
  if (type != "text" && type != "json") format.refuse("type", "is " + excerpt(type, 60) + "; there are text and json");
  if (type == "json") account.subject_field = format.text("subject_token_field_name");
  return account;
}

std::chrono::seconds lifetime_in(const Fields& fields) {
  constexpr std::chrono::seconds lifetime_min{600};
  constexpr std::chrono::seconds lifetime_max{43'200};
  if (!fields.has("service_account_impersonation")) return Impersonation{}.lifetime;
  const Fields options = fields.object("service_account_impersonation");
  const std::chrono::seconds lifetime(options.number_or("token_lifetime_seconds", 3600));
  if (lifetime < lifetime_min || lifetime > lifetime_max)
    options.refuse("token_lifetime_seconds", "is not from 600 to 43200");
  return lifetime;
}

constexpr const char* impersonation_url = "service_account_impersonation_url";

Credentials credentials_in(const Fields& fields) {
  const std::string type = fields.text("type");
  const std::string universe = fields.text_or("universe_domain", "googleapis.com");
  if (universe != "googleapis.com") {
    fields.refuse("universe_domain", "is " + excerpt(universe, 60) + "; only googleapis.com is supported");
  }
  if (type == "service_account") return {service_account_in(fields), {}};
  if (type == "authorized_user") return {authorized_user_in(fields), {}};
  if (type == "external_account") {
    Credentials credentials{external_account_in(fields), {}};
    if (fields.has(impersonation_url)) {
      credentials.impersonations.push_back({fields.confidential_url(impersonation_url), {}, lifetime_in(fields)});
    }
    return credentials;
  }
  if (type == "impersonated_service_account") {
    const Fields source = fields.object("source_credentials");
    if (source.text_or("type", "") == type) source.refuse("type", "is " + type + "; name those between in delegates");
    Credentials credentials = credentials_in(source);
    credentials.impersonations.push_back(
        {fields.confidential_url(impersonation_url), fields.texts("delegates"), lifetime_in(fields)});
    return credentials;
  }
  fields.refuse("type", "is " + excerpt(type, 60) +
                            "; supported are service_account, authorized_user, external_account and "
                            "impersonated_service_account");
}

}  // namespace

Credentials credentials_from(const std::string& file, std::string_view text) {
  const json parsed = json::parse(text, nullptr, false);
  return credentials_in(Fields(parsed, file + ": "));
}

std::string subject_token_from(const ExternalAccount& account, std::string_view text) {
  if (!account.subject_field.empty()) {
    const json parsed = json::parse(text, nullptr, false);
    return Fields(parsed, "").text(account.subject_field);
  }
  const std::string_view token = trimmed(text, " \t\r\n");
  if (token.empty()) throw Refused("is empty");
  return std::string(token);
}

}  // namespace carrack::data
