#include "tests/operator/api_server/certificates.h"

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <stdexcept>

namespace carrack::control {
namespace {

template <auto release>
struct Released {
  void operator()(auto* object) const { release(object); }
};
using Bio = std::unique_ptr<BIO, Released<BIO_free>>;
using Key = std::unique_ptr<EVP_PKEY, Released<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Released<X509_free>>;

Bio bio_of(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string text_of(BIO* bio) {
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio, &text);
  return {text, static_cast<std::size_t>(size)};
}

void extend(X509* certificate, int what, const std::string& how) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, what, how.c_str());
  if (extension == nullptr) throw std::invalid_argument(how);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

void name(X509_NAME* subject, const std::string& common_name) {
  const auto* text = reinterpret_cast<const unsigned char*>(common_name.c_str());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, text, -1, -1, 0);
}

}  // namespace

Certified certified(const Wanted& wanted, const std::optional<Certified>& issuer) {
  static int serial = 0;
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate(X509_new());
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -7200);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), wanted.valid_seconds);
  X509_set_pubkey(certificate.get(), key.get());
  name(X509_get_subject_name(certificate.get()), wanted.subject);
  if (!wanted.names.empty()) extend(certificate.get(), NID_subject_alt_name, wanted.names);
  if (wanted.authority) extend(certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
  if (issuer) {
    const Certificate above(PEM_read_bio_X509(bio_of(issuer->certificate).get(), nullptr, nullptr, nullptr));
    const Key signer(PEM_read_bio_PrivateKey(bio_of(issuer->key).get(), nullptr, nullptr, nullptr));
    X509_set_issuer_name(certificate.get(), X509_get_subject_name(above.get()));
    X509_sign(certificate.get(), signer.get(), EVP_sha256());
  } else {
    X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate.get()));
    X509_sign(certificate.get(), key.get(), EVP_sha256());
  }
  const Bio certificate_text(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(certificate_text.get(), certificate.get());
  const Bio key_text(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  return {text_of(certificate_text.get()), text_of(key_text.get())};
}

}  // namespace carrack::control
