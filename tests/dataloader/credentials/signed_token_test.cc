// Tokens that service accounts sign, verified as Google verifies them: by the public key.
#include "dataloader/credentials/signed_token.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/dataloader/credentials/key.h"

namespace carrack::data {
namespace {

using nlohmann::json;

// Base64 for URLs has no padding.
std::string decoded(std::string text) {
  std::replace(text.begin(), text.end(), '-', '+');
  std::replace(text.begin(), text.end(), '_', '/');
  const std::size_t padding = (4 - text.size() % 4) % 4;
  text.append(padding, '=');
  std::string bytes(text.size() / 4 * 3, '\0');
  EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()), reinterpret_cast<const unsigned char*>(text.data()),
                  static_cast<int>(text.size()));
  return bytes.substr(0, bytes.size() - padding);
}

bool is_signed_by(const TestKey& key, const std::string& text, const std::string& signature) {
  EVP_MD_CTX* digest = EVP_MD_CTX_new();
  EVP_DigestVerifyInit(digest, nullptr, EVP_sha256(), nullptr, key.get());
  const int verdict =
      EVP_DigestVerify(digest, reinterpret_cast<const unsigned char*>(signature.data()), signature.size(),
                       reinterpret_cast<const unsigned char*>(text.data()), text.size());
  EVP_MD_CTX_free(digest);
  return verdict == 1;
}

const ServiceAccount account_without_key{"trainer@PROJECT.iam.gserviceaccount.com", "the-key-id", ""};
const Moment now{std::chrono::seconds(1'800'000'000)};

TEST(SignedToken, SaysWhoAsksAndUntilWhen) {
  const TestKey key = rsa_key(2048);
  ServiceAccount account = account_without_key;
  account.key = pem_of(key);
  const Token token = signed_token(account, now);
  EXPECT_EQ(token.lifetime, std::chrono::hours(1));

  const std::size_t first = token.text.find('.');
  const std::size_t second = token.text.rfind('.');
  ASSERT_LT(first, second);
  EXPECT_EQ(json::parse(decoded(token.text.substr(0, first))),
            (json{{"alg", "RS256"}, {"typ", "JWT"}, {"kid", "the-key-id"}}));
  EXPECT_EQ(json::parse(decoded(token.text.substr(first + 1, second - first - 1))),
            (json{{"iss", account.email},
                  {"sub", account.email},
                  {"scope", "https://www.googleapis.com/auth/cloud-platform"},
                  {"iat", 1'800'000'000},
                  {"exp", 1'800'003'600}}));
  const std::string signature = decoded(token.text.substr(second + 1));
  EXPECT_TRUE(is_signed_by(key, token.text.substr(0, second), signature));
  EXPECT_FALSE(is_signed_by(rsa_key(2048), token.text.substr(0, second), signature));
}

TEST(SignedToken, IsMadeOfCharactersThatHeadersMayHold) {
  ServiceAccount account = account_without_key;
  account.key = pem_of(rsa_key(3072));
  account.key_id = "\xc3\xbc\xc3\xbf?>";
  for (int second = 0; second < 20; ++second) {
    const std::string text = signed_token(account, now + std::chrono::seconds(second)).text;
    EXPECT_EQ(text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."), text.npos);
  }
}

}  // namespace
}  // namespace carrack::data
