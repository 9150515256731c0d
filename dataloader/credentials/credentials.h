// Credentials: the content of a Google Cloud credential file, see https://google.aip.dev/auth/4110 and the pages linked
// there. A source gives the first token; each impersonation exchanges the token for that of another account. Pure.
//
// All values may be secret. Error messages name fields, and show only the values of `type`, `format.type` and
// `universe_domain`.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "dataloader/http/service_url.h"

namespace carrack::data {

// An account that signs its tokens itself.
struct ServiceAccount {
  std::string email;
  std::string key_id;
  std::string key;  // PEM
  bool operator==(const ServiceAccount&) const = default;
};

// Written by `gcloud auth application-default login`.
struct AuthorizedUser {
  ServiceUrl token_url;
  std::string client_id;
  std::string client_secret;
  std::string refresh_token;
  bool operator==(const AuthorizedUser&) const = default;
};

// Where the subject token of an ExternalAccount is read from: a file, or the reply to a request for a URL.
struct SubjectFile {
  std::string path;
  bool operator==(const SubjectFile&) const = default;
};
struct SubjectUrl {
  ServiceUrl url;
  std::vector<std::pair<std::string, std::string>> headers;
  bool operator==(const SubjectUrl&) const = default;
};
// An identity of another provider: https://google.aip.dev/auth/4117. The subject token is the token of that provider.
struct ExternalAccount {
  ServiceUrl token_url;
  std::string audience;
  std::string subject_token_type;
  std::variant<SubjectFile, SubjectUrl> subject;
  std::string subject_field;  // The JSON field that holds the subject token; empty: the text is the token.
  bool operator==(const ExternalAccount&) const = default;
};

struct Impersonation {
  ServiceUrl url;
  std::vector<std::string> delegates;
  std::chrono::seconds lifetime{3600};
  bool operator==(const Impersonation&) const = default;
};

struct Credentials {
  std::variant<ServiceAccount, AuthorizedUser, ExternalAccount> source;
  std::vector<Impersonation> impersonations;
  bool operator==(const Credentials&) const = default;
};

// Parses the text of `file`. Throws Refused, naming the file and the field, for values that are invalid or not
// supported.
Credentials credentials_from(const std::string& file, std::string_view text);

// The subject token in the text of the account's file or URL. Throws Refused with the reason alone if there is none.
std::string subject_token_from(const ExternalAccount& account, std::string_view text);

}  // namespace carrack::data
