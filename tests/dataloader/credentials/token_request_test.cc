// Requests as Google documents them, byte by byte, and replies: the documented ones, and others.
#include "dataloader/credentials/token_request.h"

#include <gtest/gtest.h>

namespace carrack::data {
namespace {

using std::chrono::seconds;
using Headers = std::vector<std::pair<std::string, std::string>>;

const AuthorizedUser user{
    {"https://oauth2.googleapis.com", "/token"}, "the-client", "secret/client", "1//secret+refresh"};
const ExternalAccount external{{"https://sts.googleapis.com", "/v1/token"},
                               "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q",
                               "urn:ietf:params:oauth:token-type:jwt",
                               SubjectFile{"/f"},
                               ""};
const Impersonation impersonation{
    {"https://iamcredentials.googleapis.com", "/v1/a:generateAccessToken"}, {}, seconds(900)};
const Token source{"secret-source", seconds(3600)};

TEST(TokenRequest, OfARefreshToken) {
  const TokenRequest request = refresh_request(user);
  EXPECT_EQ(request.url, user.token_url);
  EXPECT_EQ(request.http.method, "POST");
  EXPECT_EQ(request.http.target, "/token");
  EXPECT_EQ(request.http.headers, (Headers{{"Content-Type", "application/x-www-form-urlencoded"}}));
  EXPECT_EQ(request.http.body,
            "grant_type=refresh_token&client_id=the-client&client_secret=secret%2Fclient&"
            "refresh_token=1%2F%2Fsecret%2Brefresh");
}

TEST(TokenRequest, OfAnExternalToken) {
  const TokenRequest request = exchange_request(external, "a.subject_token~");
  EXPECT_EQ(request.url, external.token_url);
  EXPECT_EQ(request.http.method, "POST");
  EXPECT_EQ(request.http.headers, (Headers{{"Content-Type", "application/x-www-form-urlencoded"}}));
  EXPECT_EQ(request.http.body,
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange&"
            "audience=%2F%2Fiam.googleapis.com%2Fprojects%2F1%2Flocations%2Fglobal%2FworkloadIdentityPools%2Fp%2F"
            "providers%2Fq&scope=https%3A%2F%2Fwww.googleapis.com%2Fauth%2Fcloud-platform&"
            "requested_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aaccess_token&"
            "subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Ajwt&subject_token=a.subject_token~");
}

TEST(TokenRequest, OfAnImpersonation) {
  TokenRequest request = impersonation_request(impersonation, source);
  EXPECT_EQ(request.url, impersonation.url);
  EXPECT_EQ(request.http.method, "POST");
  EXPECT_EQ(request.http.headers,
            (Headers{{"Authorization", "Bearer secret-source"}, {"Content-Type", "application/json"}}));
  EXPECT_EQ(request.http.body, R"({"lifetime":"900s","scope":["https://www.googleapis.com/auth/cloud-platform"]})");
  Impersonation by_others = impersonation;
  by_others.delegates = {"projects/-/serviceAccounts/between"};
  request = impersonation_request(by_others, source);
  EXPECT_EQ(request.http.body, R"({"delegates":["projects/-/serviceAccounts/between"],"lifetime":"900s",)"
                               R"("scope":["https://www.googleapis.com/auth/cloud-platform"]})");
}

TEST(TokenRequest, OfAMetadataServer) {
  const TokenRequest request = metadata_request("169.254.169.254");
  EXPECT_EQ(request.url.endpoint, "http://169.254.169.254");
  EXPECT_EQ(request.http.method, "GET");
  EXPECT_EQ(request.http.target, "/computeMetadata/v1/instance/service-accounts/default/token");
  EXPECT_EQ(request.http.headers, (Headers{{"Metadata-Flavor", "Google"}}));
}

TEST(TokenRequest, OfAProvidersToken) {
  const TokenRequest request = subject_request({{"http://host", "/token?a=b"}, {{"Metadata", "True"}}});
  EXPECT_EQ(request.url.endpoint, "http://host");
  EXPECT_EQ(request.http.method, "GET");
  EXPECT_EQ(request.http.target, "/token?a=b");
  EXPECT_EQ(request.http.headers, (Headers{{"Metadata", "True"}}));
}

TEST(TokenReply, AsServicesGiveIt) {
  const TokenRequest oauth = refresh_request(user);
  EXPECT_EQ(parse_token(oauth, R"({"access_token": "a.b-c", "expires_in": 3599, "token_type": "Bearer"})"),
            (Token{"a.b-c", seconds(3599)}));
  EXPECT_EQ(parse_token(oauth, R"({"access_token": "a"})"), (Token{"a", seconds(3600)})) << "the documented lifetime";
  EXPECT_EQ(parse_token(oauth, R"({"access_token": "a", "expires_in": 1e15})"), std::nullopt);
  EXPECT_EQ(parse_token(oauth, R"({"access_token": "a", "expires_in": 999999999999})"), (Token{"a", seconds(43'200)}));
  EXPECT_EQ(parse_token(impersonation_request(impersonation, source),
                        R"({"accessToken": "a", "expireTime": "2014-10-02T15:01:23Z"})"),
            (Token{"a", seconds(900)}))
      << "as long as was asked for, whatever clock the service has";
}

TEST(TokenReply, ThatHoldsNoToken) {
  const TokenRequest oauth = refresh_request(user);
  for (const char* body :
       {"", "<html>", "[]", "{}", "null", R"({"access_token": 7})", R"({"access_token": ""})",
        R"({"accessToken": "a"})", R"({"access_token": "a\r\nHost: b"})", R"({"access_token": "a b"})",
        R"({"access_token": "\u00fc"})", R"({"access_token": "a", "expires_in": 0})",
        R"({"access_token": "a", "expires_in": -5})", R"({"access_token": "a", "expires_in": "3599"})",
        R"({"access_token": "a", "expires_in": 3599)"}) {
    EXPECT_EQ(parse_token(oauth, body), std::nullopt) << body;
  }
  EXPECT_EQ(parse_token(impersonation_request(impersonation, source), R"({"access_token": "a"})"), std::nullopt);
}

HttpReply reply(int status, const std::string& body) {
  return {.status = status, .headers = {}, .body = body, .is_complete = true, .failure = ""};
}

TEST(TokenReply, ThatIsARefusalIsToldInWords) {
  const TokenRequest request = refresh_request(user);
  EXPECT_EQ(
      failure_text(request, reply(400, R"({"error": "invalid_grant", "error_description": "Token has been expired"})")),
      "HTTP 400: invalid_grant: Token has been expired");
  EXPECT_EQ(failure_text(request, reply(400, R"({"error": "invalid_client"})")), "HTTP 400: invalid_client");
  EXPECT_EQ(
      failure_text(request, reply(403, R"({"error": {"code": 403, "message": "Permission denied", "status": "X"}})")),
      "HTTP 403: Permission denied");
  EXPECT_EQ(failure_text(request, reply(400, R"({"error": "on two\nlines, \u001b[31mred"})")),
            "HTTP 400: on two lines,  [31mred");
  for (const char* body : {"", "<html>", "[]", "{}", R"({"error": 7})", R"({"error": {"message": 7}})"}) {
    EXPECT_EQ(failure_text(request, reply(500, body)), "HTTP 500") << body;
  }
  HttpReply lost;
  lost.failure = "no answer from https://oauth2.googleapis.com (Connection)";
  EXPECT_EQ(failure_text(request, lost), "no answer from https://oauth2.googleapis.com (Connection)");
}

TEST(TokenReply, ThatShowsSecretsIsToldWithoutThem) {
  const auto told = [](const TokenRequest& request, const std::string& reason) {
    return failure_text(request, reply(400, R"({"error": ")" + reason + "\"}"));
  };
  EXPECT_EQ(told(refresh_request(user), "no 1//secret+refresh of secret/client, 1%2F%2Fsecret%2Brefresh"),
            "HTTP 400: no ... of ..., ...");
  EXPECT_EQ(told(exchange_request(external, "secret-subject"), "no secret-subject"), "HTTP 400: no ...");
  EXPECT_EQ(told(impersonation_request(impersonation, source), "no secret-source"), "HTTP 400: no ...");
  EXPECT_EQ(told(subject_request({{"http://host", "/"}, {{"Key", "secret-key"}}}), "no secret-key"),
            "HTTP 400: no ...");
  EXPECT_EQ(told(refresh_request(user), std::string(295, 'x') + "1//secret+refresh").find("secret"), std::string::npos)
      << "not the beginning of one either";
}

}  // namespace
}  // namespace carrack::data
