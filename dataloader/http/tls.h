// TLS to a server that proves its name to an authority this machine trusts.
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

// With the authorities of this machine, or of SSL_CERT_FILE and SSL_CERT_DIR as OpenSSL reads them.
TlsContext tls_context();
// Over a connected socket, for a server of that name or address; nothing is sent yet. Who writes to an end that is gone
// is told by the call, never by SIGPIPE.
TlsSession tls_session(SSL_CTX* context, int socket, const std::string& host);
// Whether the handshake failed as the server does not prove its name.
bool is_not_trusted(SSL* session);
// Why the handshake failed, in words.
std::string tls_failure(SSL* session);

}  // namespace carrack::data
