// Any bytes in a file of credentials, from a provider of tokens and from a service of tokens: a value that can be sent,
// or a refusal in words on one line. The first byte chooses the decoder.
#include <algorithm>
#include <string>
#include <string_view>

#include "dataloader/credentials/credentials.h"
#include "dataloader/credentials/token_request.h"
#include "dataloader/error.h"
#include "tests/fuzz/must.h"

namespace carrack::data {
namespace {

using fuzz::must;

bool is_one_line(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 127; });
}

void check_request(const TokenRequest& request) {
  must(request.url.endpoint.starts_with("http://") || request.url.endpoint.starts_with("https://"), "there is a host");
  must(request.url.endpoint.find_first_of(" \r\n@/", 8) == std::string::npos, "a host is no more than that");
  must(is_one_line(request.http.target) && request.http.target.starts_with('/'), "a target adds no header");
  for (const auto& [name, value] : request.http.headers) {
    must(is_one_line(name) && is_one_line(value) && name.find(':') == std::string::npos, "a header adds no other");
  }
}

struct CheckSource {
  void operator()(const ServiceAccount& account) const { must(!account.key_id.empty(), "a key has a name"); }
  void operator()(const AuthorizedUser& user) const {
    check_request(refresh_request(user));
    must(is_confidential(user.token_url.endpoint), "secrets are not sent openly");
  }
  void operator()(const ExternalAccount& account) const {
    check_request(exchange_request(account, "token"));
    must(is_confidential(account.token_url.endpoint), "secrets are not sent openly");
    if (const auto* subject = std::get_if<SubjectUrl>(&account.subject)) check_request(subject_request(*subject));
  }
};

void as_file(const std::string& text) {
  try {
    const Credentials credentials = credentials_from("/f", text);
    std::visit(CheckSource(), credentials.source);
    for (const Impersonation& step : credentials.impersonations) {
      check_request(impersonation_request(step, {"token", std::chrono::seconds(1)}));
    }
  } catch (const Refused& refusal) {
    const std::string_view words = refusal.what();
    must(words.starts_with("/f: ") && words.size() > 4 && is_one_line(words), "a refusal names the file, in one line");
  }
}

void as_subject_token(const std::string& text) {
  ExternalAccount account;
  for (const char* field : {"", "id_token"}) {
    account.subject_field = field;
    try {
      must(!subject_token_from(account, text).empty(), "a token is something");
    } catch (const Refused& refusal) {
      must(refusal.what() != std::string_view(), "a refusal has words");
    }
  }
}

void as_reply(const std::string& text) {
  const TokenRequest oauth = metadata_request("host");
  TokenRequest impersonation = oauth;
  impersonation.lifetime = std::chrono::seconds(60);
  for (const TokenRequest& request : {oauth, impersonation}) {
    const auto token = parse_token(request, text);
    if (!token) continue;
    must(is_one_line(token->text) && !token->text.empty(), "a token adds no header");
    must(token->lifetime.count() > 0, "a token lives");
  }
  TokenRequest secret = oauth;
  secret.secrets = {"in"};
  const HttpReply refusal{.status = 400, .headers = {}, .body = text, .is_complete = true, .failure = ""};
  const std::string words = failure_text(secret, refusal);
  must(words.starts_with("HTTP 400") && words.find("in") == std::string::npos && is_one_line(words),
       "no secret is told");
}

}  // namespace
}  // namespace carrack::data

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 3) {
    case 0:
      carrack::data::as_file(text);
      break;
    case 1:
      carrack::data::as_subject_token(text);
      break;
    default:
      carrack::data::as_reply(text);
  }
  return 0;
}
