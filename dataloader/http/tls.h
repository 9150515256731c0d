// Opens TLS connections with OpenSSL to servers whose certificate is signed by an authority that this machine trusts.
// Socket uses it; the trainer's tls_tunnels.cc uses only the types and use_socket(). A context has the settings and the
// trusted authorities; a session is the TLS of one connection.
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

// Makes a context for clients, with TLS 1.2 or later; one context may serve many sessions. It trusts the authorities in
// OpenSSL's default file and default directory. The environment variable SSL_CERT_FILE replaces only the file, and
// SSL_CERT_DIR only the directory. Throws Error if OpenSSL cannot be used.
TlsContext tls_context();
// Makes a client session over a connected socket. The caller performs the handshake (SSL_do_handshake), and closes the
// socket after the session is destroyed. `host` is a name or an address without brackets; the handshake fails unless
// the certificate's subjectAltName contains it. Writing to a closed connection is an error, and never raises SIGPIPE.
// Throws Error if OpenSSL cannot make the session.
TlsSession tls_session(SSL_CTX* context, int socket, const std::string& host);
// For sessions that tls_session() has not made, such as those of tls_tunnels.cc: lets the session use a connected
// socket without owning it; writing never raises SIGPIPE. Returns false if there is no memory for it.
bool use_socket(SSL* session, int socket);
// True if the handshake failed because of the certificate. Call this only after a failed handshake.
bool is_certificate_untrusted(SSL* session);
// Returns the message for a failed handshake, from the oldest error in OpenSSL's queue of this thread. So call
// ERR_clear_error() before each SSL_do_handshake(), and this function on the same thread.
std::string handshake_error(SSL* session);

}  // namespace carrack::data
