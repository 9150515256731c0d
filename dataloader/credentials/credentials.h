// Credentials: the content of a Google Cloud credential file, see https://google.aip.dev/auth/4110 and the pages linked
// there. The first token comes from the source. Each impersonation then exchanges the token for a token of another
// account. Functions are pure.
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

// An account whose tokens are signed here, see signed_token.h.
struct ServiceAccount {
  std::string email;
  std::string key_id;
  std::string key;  // an RSA key in PEM, for which is_signing_key() is true
  bool operator==(const ServiceAccount&) const = default;
};

// A person's account, as `gcloud auth application-default login` writes it. The service at token_url returns a token
// for the refresh token.
struct AuthorizedUser {
  ServiceUrl token_url;
  std::string client_id;
  std::string client_secret;
  std::string refresh_token;
  bool operator==(const AuthorizedUser&) const = default;
};

// Where the subject token of an ExternalAccount is read from: a file, or the reply to a GET request for a URL.
struct SubjectFile {
  std::string path;
  bool operator==(const SubjectFile&) const = default;
};
struct SubjectUrl {
  ServiceUrl url;
  std::vector<std::pair<std::string, std::string>> headers;  // names and values, for that request
  bool operator==(const SubjectUrl&) const = default;
};
// An identity at another provider: https://google.aip.dev/auth/4117. The subject token is a token of that provider; the
// service at token_url exchanges it for a token of Google.
struct ExternalAccount {
  ServiceUrl token_url;
  std::string audience;
  std::string subject_token_type;
  std::variant<SubjectFile, SubjectUrl> subject;
  std::string subject_field;  // the JSON field with the subject token; empty: all of the text is the token
  bool operator==(const ExternalAccount&) const = default;
};

struct Impersonation {
  ServiceUrl url;                       // the service that exchanges the token
  std::vector<std::string> delegates;   // the accounts of the delegation chain, in order
  std::chrono::seconds lifetime{3600};  // of the new token; 600 to 43,200 seconds in a parsed file
  bool operator==(const Impersonation&) const = default;
};

struct Credentials {
  std::variant<ServiceAccount, AuthorizedUser, ExternalAccount> source;
  std::vector<Impersonation> impersonations;  // in the order in which to apply them; often empty
  bool operator==(const Credentials&) const = default;
};

// Parses `text`, the text of `file`. Throws Refused, naming the file and the field, if a field is missing, invalid or
// not supported. Ignores unknown fields.
Credentials credentials_from(const std::string& file, std::string_view text);

// Returns the subject token in `text`, which was read from the account's file or URL. If all of the text is the token,
// white space around it is removed. Throws Refused if there is no token; the message has the reason, but not the file
// or URL.
std::string subject_token_from(const ExternalAccount& account, std::string_view text);

}  // namespace carrack::data
