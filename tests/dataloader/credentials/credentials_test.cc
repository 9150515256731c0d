// Files of credentials as Google's tools write them, and what is wrong with others, in words.
#include "dataloader/credentials/credentials.h"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "dataloader/error.h"
#include "tests/dataloader/credentials/key.h"

namespace carrack::data {
namespace {

using nlohmann::json;

const std::string& pem() {
  static const std::string text = pem_of(rsa_key(2048));
  return text;
}

json service_account() {
  return {{"type", "service_account"},
          {"project_id", "project"},
          {"private_key_id", "the-key-id"},
          {"private_key", pem()},
          {"client_email", "trainer@PROJECT.iam.gserviceaccount.com"},
          {"token_uri", "https://oauth2.googleapis.com/token"},
          {"universe_domain", "googleapis.com"}};
}

json authorized_user() {
  return {{"type", "authorized_user"},
          {"client_id", "the-client"},
          {"client_secret", "secret-of-client"},
          {"refresh_token", "secret-refresh"},
          {"quota_project_id", nullptr}};
}

json external_account() {
  return {{"type", "external_account"},
          {"audience", "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/kind"},
          {"subject_token_type", "urn:ietf:params:oauth:token-type:jwt"},
          {"token_url", "https://sts.googleapis.com/v1/token"},
          {"credential_source", {{"file", "/var/run/token"}}}};
}

const std::string impersonation_url =
    "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/a:generateAccessToken";
const ServiceUrl impersonation{"https://iamcredentials.googleapis.com",
                               "/v1/projects/-/serviceAccounts/a:generateAccessToken"};

json impersonated(const json& source) {
  return {{"type", "impersonated_service_account"},
          {"service_account_impersonation_url", impersonation_url},
          {"delegates", {"between"}},
          {"source_credentials", source}};
}

json with(json file, const std::string& pointer, const json& value) {
  file[json::json_pointer(pointer)] = value;
  return file;
}

json without(json file, const std::string& name) {
  file.erase(name);
  return file;
}

Credentials read(const json& file) {
  return credentials_from("/f", file.dump());
}

std::string refusal_of_text(const std::string& text) {
  try {
    credentials_from("/f", text);
  } catch (const Refused& error) {
    return error.what();
  }
  return "none";
}

std::string refusal_of(const json& file) {
  return refusal_of_text(file.dump());
}

TEST(CredentialsFile, OfAServiceAccount) {
  EXPECT_EQ(read(service_account()),
            (Credentials{ServiceAccount{"trainer@PROJECT.iam.gserviceaccount.com", "the-key-id", pem()}, {}}));
}

TEST(CredentialsFile, OfSomebodyLoggedIn) {
  EXPECT_EQ(
      read(authorized_user()),
      (Credentials{AuthorizedUser{
                       {"https://oauth2.googleapis.com", "/token"}, "the-client", "secret-of-client", "secret-refresh"},
                   {}}));
  const Credentials elsewhere = read(with(authorized_user(), "/token_uri", "http://localhost:80/t?a=b"));
  EXPECT_EQ(std::get<AuthorizedUser>(elsewhere.source).token_url, (ServiceUrl{"http://localhost:80", "/t?a=b"}));
}

TEST(CredentialsFile, OfAnExternalAccount) {
  const ExternalAccount expected{
      {"https://sts.googleapis.com", "/v1/token"},
      "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/kind",
      "urn:ietf:params:oauth:token-type:jwt",
      SubjectFile{"/var/run/token"},
      ""};
  EXPECT_EQ(read(external_account()), (Credentials{expected, {}}));

  const json source{{"url", "http://169.254.169.254/identity?a=b"},
                    {"headers", {{"Metadata", "True"}}},
                    {"format", {{"type", "json"}, {"subject_token_field_name", "access_token"}}}};
  ExternalAccount by_url = expected;
  by_url.subject = SubjectUrl{{"http://169.254.169.254", "/identity?a=b"}, {{"Metadata", "True"}}};
  by_url.subject_field = "access_token";
  json file = with(external_account(), "/credential_source", source);
  file["service_account_impersonation_url"] = impersonation_url;
  file["service_account_impersonation"] = {{"token_lifetime_seconds", 900}};
  EXPECT_EQ(read(file), (Credentials{by_url, {{impersonation, {}, std::chrono::seconds(900)}}}));
}

TEST(CredentialsFile, OfAnImpersonatedAccount) {
  const Credentials user = read(impersonated(authorized_user()));
  EXPECT_TRUE(std::holds_alternative<AuthorizedUser>(user.source));
  EXPECT_EQ(user.impersonations, (std::vector<Impersonation>{{impersonation, {"between"}, std::chrono::hours(1)}}));

  const json external = with(external_account(), "/service_account_impersonation_url", "https://host/first");
  EXPECT_EQ(read(impersonated(external)).impersonations,
            (std::vector<Impersonation>{{{"https://host", "/first"}, {}, std::chrono::hours(1)},
                                        {impersonation, {"between"}, std::chrono::hours(1)}}));
}

TEST(CredentialsFile, ThatIsNone) {
  EXPECT_EQ(refusal_of_text(""), "/f: is not a JSON object");
  EXPECT_EQ(refusal_of_text("[]"), "/f: is not a JSON object");
  EXPECT_EQ(refusal_of_text("{\"type\": \"\xff\"}"), "/f: is not a JSON object");
  EXPECT_EQ(refusal_of(json::object()), "/f: type: is missing");
  EXPECT_EQ(refusal_of(json{{"installed", json::object()}}), "/f: type: is missing");
  EXPECT_EQ(refusal_of(json{{"type", 7}}), "/f: type: is not a string");
  EXPECT_EQ(refusal_of(json{{"type", ""}}), "/f: type: is empty");
  EXPECT_EQ(refusal_of(json{{"type", "a\nb"}}), "/f: type: holds a control character");
  const std::string supported =
      "supported are service_account, authorized_user, external_account and impersonated_service_account";
  EXPECT_EQ(refusal_of(json{{"type", "gdch_service_account"}}), "/f: type: is \"gdch_service_account\"; " + supported);
  EXPECT_EQ(refusal_of(json{{"type", std::string(100, 'x')}}),
            "/f: type: is \"" + std::string(60, 'x') + "...\"; " + supported);
  EXPECT_EQ(refusal_of(with(service_account(), "/universe_domain", "example.com")),
            "/f: universe_domain: is \"example.com\"; only googleapis.com is supported");
}

TEST(CredentialsFile, WithoutAFieldThatIsNeeded) {
  for (const std::string name : {"client_email", "private_key_id", "private_key"}) {
    EXPECT_EQ(refusal_of(without(service_account(), name)), "/f: " + name + ": is missing");
  }
  for (const std::string name : {"client_id", "client_secret", "refresh_token"}) {
    EXPECT_EQ(refusal_of(without(authorized_user(), name)), "/f: " + name + ": is missing");
  }
  for (const std::string name : {"token_url", "audience", "subject_token_type", "credential_source"}) {
    EXPECT_EQ(refusal_of(without(external_account(), name)), "/f: " + name + ": is missing");
  }
  for (const std::string name : {"service_account_impersonation_url", "source_credentials"}) {
    EXPECT_EQ(refusal_of(without(impersonated(authorized_user()), name)), "/f: " + name + ": is missing");
  }
  EXPECT_EQ(refusal_of(impersonated(without(authorized_user(), "refresh_token"))),
            "/f: source_credentials.refresh_token: is missing");
}

TEST(CredentialsFile, WithAKeyThatDoesNotSign) {
  const TestKey curve(EVP_EC_gen("P-256"));
  const std::string refusal =
      "/f: private_key: is not an RSA key of 2048 bits or more in PEM; make the account a new key";
  for (const std::string& key : {std::string("text"), pem().substr(0, 400), pem_of(rsa_key(1024)), pem_of(curve),
                                 pem_of(rsa_key(2048), "word")}) {
    EXPECT_EQ(refusal_of(with(service_account(), "/private_key", key)), refusal);
  }
}

TEST(CredentialsFile, WithAnAddressThatIsNone) {
  for (const std::string url : {"sts.googleapis.com", "ftp://host/", "https://", "https://a b/", "https://user@host/",
                                "https://host:0/", "https://host:65536/", "https://host:/", "https://host/a b",
                                "https://host/#a", "https://[::g]/", "https://[]/", "https://h\xc3\xb6st/"}) {
    EXPECT_EQ(refusal_of(with(external_account(), "/token_url", url)),
              "/f: token_url: is not an http:// or https:// address");
  }
  const std::string open = ": is not an https:// address, and secrets are sent there";
  EXPECT_EQ(refusal_of(with(external_account(), "/token_url", "http://sts.googleapis.com/")), "/f: token_url" + open);
  EXPECT_EQ(refusal_of(with(authorized_user(), "/token_uri", "http://localhost.example.com/")), "/f: token_uri" + open);
  const std::string url = "service_account_impersonation_url";
  EXPECT_EQ(refusal_of(with(external_account(), "/" + url, "http://host/")), "/f: " + url + open);
  EXPECT_EQ(refusal_of(with(external_account(), "/credential_source", json{{"url", "http://idp.example/"}})),
            "/f: credential_source.url" + open);
}

TEST(CredentialsFile, WithASourceThatIsNotSupported) {
  const auto refusal_of_source = [](const json& source) {
    return refusal_of(with(external_account(), "/credential_source", source));
  };
  EXPECT_EQ(refusal_of_source("f"), "/f: credential_source: is not a JSON object");
  EXPECT_EQ(refusal_of_source(json::object()), "/f: credential_source: must have either file or url");
  EXPECT_EQ(refusal_of_source({{"file", "a"}, {"url", "http://a"}}),
            "/f: credential_source: must have either file or url");
  EXPECT_EQ(
      refusal_of_source({{"executable", {{"command", "run me"}}}}),
      "/f: credential_source.executable: programs are not run for a token; have it write the token to a file, and "
      "name that in credential_source.file");
  EXPECT_EQ(
      refusal_of_source({{"environment_id", "aws1"}, {"url", "http://169.254.169.254/"}}),
      "/f: credential_source.environment_id: the identity of an AWS machine is not supported; name a token of the "
      "cluster's own identity provider in credential_source.file");
  EXPECT_EQ(refusal_of_source({{"certificate", {{"use_default_certificate_config", true}}}}),
            "/f: credential_source.certificate: certificates are not supported; name a token in credential_source.file "
            "or credential_source.url");
  EXPECT_EQ(refusal_of_source({{"file", "a"}, {"format", {{"type", "xml"}}}}),
            "/f: credential_source.format.type: is \"xml\"; there are text and json");
  EXPECT_EQ(refusal_of_source({{"file", "a"}, {"format", {{"type", "json"}}}}),
            "/f: credential_source.format.subject_token_field_name: is missing");
  EXPECT_EQ(refusal_of_source({{"url", "https://a"}, {"headers", {{"a b", "c"}}}}),
            "/f: credential_source.headers: has a name that no header can have");
  EXPECT_EQ(refusal_of_source({{"url", "https://a"}, {"headers", {{"a", "b\r\nc: d"}}}}),
            "/f: credential_source.headers.a: holds a control character");
  for (const std::string name : {"workforce_pool_user_project", "client_id"}) {
    EXPECT_EQ(refusal_of(with(external_account(), "/" + name, "a")),
              "/f: " + name + ": belongs to a workforce pool, for people; use a workload identity pool");
  }
}

TEST(CredentialsFile, WithAnImpersonationThatIsNone) {
  EXPECT_EQ(refusal_of(impersonated(impersonated(authorized_user()))),
            "/f: source_credentials.type: is impersonated_service_account; name those between in delegates");
  EXPECT_EQ(refusal_of(with(impersonated(authorized_user()), "/delegates", {1})),
            "/f: delegates: is not a list of strings");
  const std::string field = "/f: service_account_impersonation.token_lifetime_seconds: ";
  json file = with(external_account(), "/service_account_impersonation_url", impersonation_url);
  for (const json& lifetime : {json(599), json(43'201)}) {
    file["service_account_impersonation"] = {{"token_lifetime_seconds", lifetime}};
    EXPECT_EQ(refusal_of(file), field + "is not from 600 to 43200");
  }
  for (const json& lifetime : {json("900"), json(-1), json(1e30), json(900.5)}) {
    file["service_account_impersonation"] = {{"token_lifetime_seconds", lifetime}};
    EXPECT_EQ(refusal_of(file), field + "is not a whole number from 0 to 1000000");
  }
}

TEST(SubjectToken, IsTextOrAFieldOfJson) {
  ExternalAccount account;
  EXPECT_EQ(subject_token_from(account, "\n the.token \r\n"), "the.token");
  account.subject_field = "id_token";
  EXPECT_EQ(subject_token_from(account, R"({"id_token": "the.token"})"), "the.token");
}

TEST(SubjectToken, ThatIsNotThereIsRefused) {
  const auto refusal = [](const ExternalAccount& account, const std::string& text) -> std::string {
    try {
      return subject_token_from(account, text);
    } catch (const Refused& error) {
      return error.what();
    }
  };
  ExternalAccount account;
  EXPECT_EQ(refusal(account, " \n"), "is empty");
  account.subject_field = "id_token";
  EXPECT_EQ(refusal(account, "secret"), "is not a JSON object");
  EXPECT_EQ(refusal(account, "{}"), "id_token: is missing");
}

}  // namespace
}  // namespace carrack::data
