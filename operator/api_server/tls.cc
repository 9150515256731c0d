#include "operator/api_server/tls.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <memory>

#include "operator/error.h"

namespace carrack::control {
namespace {

// A deleter for objects of OpenSSL: calls the function `release`.
template <auto release>
struct Released {
  void operator()(auto* object) const { release(object); }
};
using Bio = std::unique_ptr<BIO, Released<BIO_free>>;
using Certificate = std::unique_ptr<X509, Released<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Released<EVP_PKEY_free>>;

Bio bio_of(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// Without this callback OpenSSL would ask for a passphrase on the terminal.
int no_passphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*user*/) {
  return 0;
}

Certificate next_certificate(BIO* pem) {
  return Certificate(PEM_read_bio_X509(pem, nullptr, no_passphrase, nullptr));
}

[[noreturn]] void refuse(const Access& access, const SecretSource& source, const std::string& what) {
  ERR_clear_error();
  const std::string where = access.exec && !source.is_set() ? access.exec->name : source.file;
  throw Error(Blame::user, (where.empty() ? source.name : where) + ": " + what);
}

void set_authorities(SSL_CTX* context, const Access& access) {
  if (!access.authority.is_set()) {
    SSL_CTX_set_default_verify_paths(context);
    return;
  }
  const std::string text = read_source(access.authority);
  const Bio pem = bio_of(text);
  X509_STORE* store = X509_STORE_new();
  SSL_CTX_set_cert_store(context, store);
  int authorities = 0;
  for (; const Certificate authority = next_certificate(pem.get()); ++authorities) {
    X509_STORE_add_cert(store, authority.get());
  }
  // After the last certificate OpenSSL finds no beginning of another (NO_START_LINE). Any other error means damage.
  if (authorities == 0 || ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE) {
    refuse(access, access.authority, "is not a certificate in PEM");
  }
  ERR_clear_error();
}

// OpenSSL calls this in the handshake to verify the server's certificate. `failure` is a CertificateFailure.
int verify_certificate(X509_STORE_CTX* chain, void* failure) {
  const int is_trusted = X509_verify_cert(chain);
  static_cast<CertificateFailure*>(failure)->error =
      is_trusted == 1 ? "" : X509_verify_cert_error_string(X509_STORE_CTX_get_error(chain));
  return is_trusted;
}

void set_expected_name(SSL_CTX* context, const Access& access) {
  X509_VERIFY_PARAM* expected = SSL_CTX_get0_param(context);
  X509_VERIFY_PARAM_set_hostflags(expected, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  const std::string& name = access.tls_server_name.empty() ? access.host : access.tls_server_name;
  if (X509_VERIFY_PARAM_set1_ip_asc(expected, name.c_str()) != 1) {
    X509_VERIFY_PARAM_set1_host(expected, name.data(), name.size());
  }
}

void set_own_certificate(SSL_CTX* context, const Access& access, const Identity& identity) {
  if (identity.certificate.empty()) return;
  const Bio pem = bio_of(identity.certificate);
  const Certificate own = next_certificate(pem.get());
  if (!own || SSL_CTX_use_certificate(context, own.get()) != 1) {
    refuse(access, access.certificate, "is not a certificate in PEM");
  }
  while (const Certificate above = next_certificate(pem.get())) SSL_CTX_add1_chain_cert(context, above.get());
  const Key key(PEM_read_bio_PrivateKey(bio_of(identity.key).get(), nullptr, no_passphrase, nullptr));
  if (!key) refuse(access, access.key, "is not a private key in PEM, or has a passphrase");
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1)
    refuse(access, access.key, "is not the key of the client certificate");
  ERR_clear_error();
}

}  // namespace

void set_up_tls(SSL_CTX* context, const Access& access, const Identity& identity, CertificateFailure& failure) {
  ERR_clear_error();
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_verify(context, access.insecure ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, nullptr);
  if (!access.insecure) {
    SSL_CTX_set_cert_verify_callback(context, verify_certificate, &failure);
    set_authorities(context, access);
    set_expected_name(context, access);
  }
  set_own_certificate(context, access, identity);
}

std::string tls_failure() {
  const unsigned long code = ERR_peek_error();  // the oldest; later errors are its consequences
  const char* reason = ERR_reason_error_string(code);
  std::string text = reason == nullptr ? "" : reason;
  ERR_clear_error();
  return text;
}

}  // namespace carrack::control
