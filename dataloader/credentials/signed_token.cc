#include "dataloader/credentials/signed_token.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "dataloader/error.h"
#include "dataloader/text.h"

namespace carrack::data {
namespace {

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* digest) const { EVP_MD_CTX_free(digest); }
};

using Key = std::unique_ptr<EVP_PKEY, Free>;

// OpenSSL calls this function for a key that is encrypted with a password. It reports that there is no password.
// Without it OpenSSL would ask for a password on the terminal.
int no_password(char*, int, int, void*) {
  return -1;
}

Key key_from(const std::string& pem) {
  const std::unique_ptr<BIO, Free> text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  Key key(PEM_read_bio_PrivateKey(text.get(), nullptr, no_password, nullptr));
  ERR_clear_error();  // Otherwise the next TLS call of this thread would report the error.
  return key;
}

const unsigned char* bytes_of(const std::string& text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string base64url(const std::string& bytes) {
  std::string text = base64(bytes);
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  return text.substr(0, text.find('='));
}

std::string signature_of(const std::string& text, const std::string& pem) {
  const Key key = key_from(pem);
  const std::unique_ptr<EVP_MD_CTX, Free> digest(EVP_MD_CTX_new());
  std::string signature(key ? static_cast<std::size_t>(EVP_PKEY_get_size(key.get())) : 0, '\0');
  std::size_t size = signature.size();
  auto* into = reinterpret_cast<unsigned char*>(signature.data());
  const bool is_signed = key && EVP_DigestSignInit(digest.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1 &&
                         EVP_DigestSign(digest.get(), into, &size, bytes_of(text), text.size()) == 1;
  if (!is_signed) throw Error("a service account's key does not sign; make the account a new key");
  signature.resize(size);
  return signature;
}

}  // namespace

bool is_signing_key(const std::string& pem) {
  constexpr int least_bits = 2048;
  const Key key = key_from(pem);
  return key && EVP_PKEY_get_base_id(key.get()) == EVP_PKEY_RSA && EVP_PKEY_get_bits(key.get()) >= least_bits;
}

Token signed_token(const ServiceAccount& account, Moment now) {
  constexpr std::chrono::seconds lifetime{3600};  // the longest that Google accepts
  const nlohmann::json header{{"alg", "RS256"}, {"kid", account.key_id}, {"typ", "JWT"}};
  const nlohmann::json claims{{"iss", account.email},
                              {"sub", account.email},
                              {"scope", cloud_platform_scope},
                              {"iat", now.time_since_epoch().count()},
                              {"exp", (now + lifetime).time_since_epoch().count()}};
  const std::string text = base64url(header.dump()) + "." + base64url(claims.dump());
  return {text + "." + base64url(signature_of(text, account.key)), lifetime};
}

}  // namespace carrack::data
