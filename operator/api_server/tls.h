// Configures OpenSSL for connections to one server: the authorities that are trusted, the name that the server's
// certificate must have, and our own certificate. The machine's authorities are trusted only if the access names none.
#pragma once

#include <string>

#include "operator/api_server/access.h"
#include "operator/api_server/exec_credential.h"

using SSL_CTX = struct ssl_ctx_st;

namespace carrack::control {

// Why the server's certificate was refused in the last handshake; empty if it was accepted or not checked.
struct CertificateFailure {
  std::string error;
};

// Configures `context` for TLS 1.2 or later. `failure` is written in every handshake in which a certificate is checked,
// and must outlive `context`; `access` and `identity` are copied. Throws Error with Blame::user if a certificate or key
// cannot be read, or if the key does not belong to the certificate.
void set_up_tls(SSL_CTX* context, const Access& access, const Identity& identity, CertificateFailure& failure);

// Returns OpenSSL's text for the oldest error in this thread's queue, or "", and clears the queue.
std::string tls_failure();

}  // namespace carrack::control
