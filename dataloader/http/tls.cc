#include "dataloader/http/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "dataloader/error.h"

namespace carrack::data {
namespace {

// Records of 16 KiB are read several at a time.
constexpr std::size_t read_at_once = std::size_t{64} << 10;

bool expect_name(SSL* session, const std::string& host) {
  X509_VERIFY_PARAM* expected = SSL_get0_param(session);
  if (X509_VERIFY_PARAM_set1_ip_asc(expected, host.c_str()) == 1) return true;
  return X509_VERIFY_PARAM_set1_host(expected, host.c_str(), host.size()) == 1 &&
         SSL_set_tlsext_host_name(session, host.c_str()) == 1;
}

}  // namespace

void TlsDeleter::operator()(SSL* session) const {
  SSL_free(session);
}

void TlsDeleter::operator()(SSL_CTX* context) const {
  SSL_CTX_free(context);
}

TlsContext tls_context() {
  TlsContext context(SSL_CTX_new(TLS_client_method()));
  if (context == nullptr || SSL_CTX_set_default_verify_paths(context.get()) != 1 ||
      SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) != 1) {
    throw Error("OpenSSL cannot be used; see whether it is installed whole");
  }
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_read_ahead(context.get(), 1);
  SSL_CTX_set_default_read_buffer_len(context.get(), read_at_once);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  return context;
}

TlsSession tls_session(SSL_CTX* context, int socket, const std::string& host) {
  TlsSession session(SSL_new(context));
  if (session == nullptr || SSL_set_fd(session.get(), socket) != 1 || !expect_name(session.get(), host)) {
    throw Error("OpenSSL cannot begin a connection to " + host);
  }
  SSL_set_connect_state(session.get());
  return session;
}

std::string tls_failure(SSL* session) {
  if (const long verdict = SSL_get_verify_result(session); verdict != X509_V_OK) {
    return std::string("its certificate is not trusted: ") + X509_verify_cert_error_string(verdict);
  }
  const char* reason = ERR_reason_error_string(ERR_peek_error());
  return std::string("TLS failed: ") + (reason == nullptr ? "the connection ended" : reason);
}

}  // namespace carrack::data
