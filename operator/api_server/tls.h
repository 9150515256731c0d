// Configures OpenSSL for a server: the trusted authorities, the name that its certificate must have, and our own
// certificate, all from memory. The machine's authorities are trusted only if the access names none.
#pragma once

#include <string>

#include "operator/api_server/access.h"
#include "operator/api_server/exec_credential.h"

using SSL_CTX = struct ssl_ctx_st;

namespace carrack::control {

// Why the server's certificate was refused in the last handshake; empty if it was accepted.
struct CertificateFailure {
  std::string error;
};

// `failure` is written in every handshake and must live as long as `context`. Throws Error if a certificate or key
// cannot be read.
void set_up_tls(SSL_CTX* context, const Access& access, const Identity& identity, CertificateFailure& failure);

// OpenSSL's text for the first error of this thread, or ""; clears the thread's errors.
std::string tls_failure();

}  // namespace carrack::control
