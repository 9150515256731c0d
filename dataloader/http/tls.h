// TLS connections to servers whose certificate is signed by an authority that this machine trusts.
#pragma once

#include <memory>
#include <string>

typedef struct ssl_st SSL;
typedef struct ssl_ctx_st SSL_CTX;

namespace carrack::data {

struct TlsDeleter {
  void operator()(SSL* session) const;
  void operator()(SSL_CTX* context) const;
};
using TlsSession = std::unique_ptr<SSL, TlsDeleter>;
using TlsContext = std::unique_ptr<SSL_CTX, TlsDeleter>;

// Trusts the authorities of this machine, or those in SSL_CERT_FILE and SSL_CERT_DIR, which OpenSSL reads.
TlsContext tls_context();
// A session over a connected socket, which the caller closes afterwards. `host` is a name or an address; the handshake
// fails unless the certificate's subjectAltName holds it. Writing to a closed connection gives an error, never SIGPIPE.
TlsSession tls_session(SSL_CTX* context, int socket, const std::string& host);
// After a failed handshake: true if the certificate was the reason.
bool is_certificate_untrusted(SSL* session);
// The message for a failed handshake.
std::string handshake_error(SSL* session);

}  // namespace carrack::data
