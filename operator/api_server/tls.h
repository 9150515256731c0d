// What OpenSSL is told of a server and of us, from memory: which authorities to trust, whom the server's certificate
// must name, and our own certificate. The machine's authorities are trusted only where none is given.
#pragma once

#include <string>

#include "operator/api_server/access.h"
#include "operator/api_server/exec_credential.h"

using SSL_CTX = struct ssl_ctx_st;

namespace carrack::control {

// What was wrong with the server's certificate when it was last looked at; empty: nothing.
struct CertificateFailure {
  std::string why;
};

// `verdict` must live as long as `context`. Throws Error where what is given cannot be read.
void set_up_tls(SSL_CTX* context, const Access& access, const Identity& identity, CertificateFailure& verdict);

// The first failure of this thread in OpenSSL's words, or "" where there was none; it is forgotten then.
std::string tls_failure();

}  // namespace carrack::control
