// Parses a Google Cloud credential file, such as a service account key or the file that GOOGLE_APPLICATION_CREDENTIALS
// names: https://google.aip.dev/auth/4110. google_token() then gets an access token with the Credentials: the first
// token comes from `source`, and each of `impersonations` exchanges the token for a token of another account. Pure
// functions.
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

// A service account with its private key. This process signs the tokens itself, see signed_token.h.
struct ServiceAccount {
  std::string email;
  std::string key_id;
  std::string key;  // the private RSA key in PEM; is_signing_key() is true for it
  bool operator==(const ServiceAccount&) const = default;
};

// A person's account, as `gcloud auth application-default login` writes it. The service at token_url returns an access
// token for the refresh token.
struct AuthorizedUser {
  ServiceUrl token_url;
  std::string client_id;
  std::string client_secret;
  std::string refresh_token;
  bool operator==(const AuthorizedUser&) const = default;
};

// Where the subject token of an ExternalAccount (below) is read from: a file, or the reply to a GET request for a URL.
struct SubjectFile {
  std::string path;
  bool operator==(const SubjectFile&) const = default;
};
struct SubjectUrl {
  ServiceUrl url;
  std::vector<std::pair<std::string, std::string>> headers;  // names and values, for that request
  bool operator==(const SubjectUrl&) const = default;
};
// An identity at another provider, such as a Kubernetes cluster (workload identity federation):
// https://google.aip.dev/auth/4117. The subject token is a token of that provider; the service at token_url exchanges
// it for a token of Google.
struct ExternalAccount {
  ServiceUrl token_url;
  std::string audience;
  std::string subject_token_type;
  std::variant<SubjectFile, SubjectUrl> subject;
  std::string subject_field;  // the JSON field with the subject token; empty: all of the text is the token
  bool operator==(const ExternalAccount&) const = default;
};

// The exchange of a token for a token of another service account.
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

// Parses `text`, the content of a credential file. `file` is its name, only for messages. Throws Refused, with the file
// and the field, if the text is not JSON or a field is missing, invalid or not supported. Ignores unknown fields.
Credentials credentials_from(const std::string& file, std::string_view text);

// Returns the subject token in `text`, which the caller has read from account.subject: the JSON field
// account.subject_field, or all of the text without white space around it. Throws Refused if there is no token; the
// message has the reason, but not the file or URL.
std::string subject_token_from(const ExternalAccount& account, std::string_view text);

}  // namespace carrack::data
