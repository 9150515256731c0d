// Configures OpenSSL for a server: the trusted authorities, the name that its certificate must have, and our own
// certificate. The machine's authorities are trusted only if the access names none.
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

// `failure` is written in every handshake, and must outlive `context`. Throws Error with Blame::user if a certificate
// or key cannot be read.
void set_up_tls(SSL_CTX* context, const Access& access, const Identity& identity, CertificateFailure& failure);

// Returns OpenSSL's text for the oldest error in this thread's queue, or "", and clears the queue.
std::string tls_failure();

}  // namespace carrack::control
