// What a file of Google Cloud credentials says: https://google.aip.dev/auth/4110 and the pages that it links. Pure.
//
// Whoever is not the account that is to be used in the end becomes it in steps: a source, then impersonations in turn.
// Everything in here may be secret; a refusal shows none of it but types and names of fields.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "dataloader/http/service_url.h"

namespace carrack::data {

// Signs its tokens itself.
struct ServiceAccount {
  std::string email;
  std::string key_id;
  std::string key;  // PEM
  bool operator==(const ServiceAccount&) const = default;
};

// What `gcloud auth application-default login` leaves.
struct AuthorizedUser {
  ServiceUrl token_url;
  std::string client_id;
  std::string client_secret;
  std::string refresh_token;
  bool operator==(const AuthorizedUser&) const = default;
};

// Somebody whom another identity provider knows: https://google.aip.dev/auth/4117.
struct SubjectFile {
  std::string path;
  bool operator==(const SubjectFile&) const = default;
};
struct SubjectUrl {
  ServiceUrl url;
  std::vector<std::pair<std::string, std::string>> headers;
  bool operator==(const SubjectUrl&) const = default;
};
struct ExternalAccount {
  ServiceUrl token_url;
  std::string audience;
  std::string subject_token_type;
  std::variant<SubjectFile, SubjectUrl> subject;  // Gives the provider's token.
  std::string subject_field;                      // Of the JSON that it gives; empty: it gives the token alone.
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

// Throws Refused, which names the file and the field, for what is not supported or makes no sense.
Credentials credentials_from(const std::string& file, std::string_view text);

// The provider's token in what an external account's file or address gave. Throws Refused, the reason alone.
std::string subject_token_from(const ExternalAccount& account, std::string_view text);

}  // namespace carrack::data
