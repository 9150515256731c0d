// Configures OpenSSL for the connections of a Client to one API server: which CA certificates are trusted, which name
// the server's certificate must have, and the client certificate. The machine's own CA certificates are trusted only if
// the access names none.
#pragma once

#include <string>

#include "operator/api_server/access.h"
#include "operator/api_server/exec_credential.h"

using SSL_CTX = struct ssl_ctx_st;

namespace carrack::control {

// Why this process refused the server's certificate in the last handshake, such as "certificate has expired"; empty if
// it was accepted.
struct CertificateFailure {
  std::string error;
};

// Configures `context` for TLS 1.2 or later; call it before the first handshake. Each later handshake that checks a
// certificate sets `failure`, so that must outlive `context`. `access` and `identity` are copied. With access.insecure
// no certificate is checked. Throws Error with Blame::user if a certificate or key cannot be read, or if the key does
// not belong to the certificate.
void set_up_tls(SSL_CTX* context, const Access& access, const Identity& identity, CertificateFailure& failure);

// Returns OpenSSL's text for the oldest error in this thread's error queue, or "" if there is none, and clears the
// queue. Call it before an operation to drop old errors, and after it for a message.
std::string tls_failure();

}  // namespace carrack::control
