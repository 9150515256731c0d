// Keys made up when a test runs.
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>

#include <memory>
#include <string>

namespace carrack::data {

struct FreeKey {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using TestKey = std::unique_ptr<EVP_PKEY, FreeKey>;

inline TestKey rsa_key(unsigned bits) {
  return TestKey(EVP_RSA_gen(bits));
}

// With a password if there is one.
inline std::string pem_of(const TestKey& key, const std::string& password = "") {
  BIO* text = BIO_new(BIO_s_mem());
  const EVP_CIPHER* cipher = password.empty() ? nullptr : EVP_aes_128_cbc();
  PEM_write_bio_PKCS8PrivateKey(text, key.get(), cipher, password.data(), static_cast<int>(password.size()), nullptr,
                                nullptr);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(text, &bytes);
  std::string found(bytes, static_cast<std::size_t>(size));
  BIO_free(text);
  return found;
}

}  // namespace carrack::data
