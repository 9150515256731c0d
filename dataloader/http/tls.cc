#include "dataloader/http/tls.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <cstdint>

#include "dataloader/error.h"

namespace carrack::data {
namespace {

// The size of the buffer for reading. It is large enough to read several TLS records of 16 KiB with one system call.
constexpr std::size_t read_buffer_bytes = std::size_t{64} << 10;

bool expect_name(SSL* session, const std::string& host) {
  X509_VERIFY_PARAM* expected = SSL_get0_param(session);
  // Only the names in the certificate's subjectAltName count, and a wildcard must be a whole label.
  X509_VERIFY_PARAM_set_hostflags(expected, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  if (X509_VERIFY_PARAM_set1_ip_asc(expected, host.c_str()) == 1) return true;
  return X509_VERIFY_PARAM_set1_host(expected, host.c_str(), host.size()) == 1 &&
         SSL_set_tlsext_host_name(session, host.c_str()) == 1;
}

int socket_of(BIO* bio) {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
}

int receive(BIO* bio, char* into, int size) {
  BIO_clear_retry_flags(bio);
  const auto received = static_cast<int>(::recv(socket_of(bio), into, static_cast<std::size_t>(size), 0));
  if (received < 0 && BIO_sock_should_retry(received) != 0) BIO_set_retry_read(bio);
  return received;
}

int send(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const auto sent = static_cast<int>(::send(socket_of(bio), bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL));
  if (sent < 0 && BIO_sock_should_retry(sent) != 0) BIO_set_retry_write(bio);
  return sent;
}

// Of all commands OpenSSL needs only BIO_CTRL_FLUSH to succeed, and sockets have no buffer to flush.
long control(BIO*, int command, long, void*) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

// Like OpenSSL's BIO_s_socket(), but writes with MSG_NOSIGNAL. Otherwise a write to a closed connection would send
// SIGPIPE, which ends a process that does not ignore it, and a library must not make its process ignore signals.
const BIO_METHOD* quiet_socket() {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* socket = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket without SIGPIPE");
    BIO_meth_set_read(socket, receive);
    BIO_meth_set_write(socket, send);
    BIO_meth_set_ctrl(socket, control);
    return socket;
  }();
  return method;
}

// True if the authority that signed the certificate is not among the trusted ones.
bool is_unknown_authority(long error) {
  return error == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY || error == X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE ||
         error == X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN || error == X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT;
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
  SSL_CTX_set_default_read_buffer_len(context.get(), read_buffer_bytes);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  return context;
}

bool use_socket(SSL* session, int socket) {
  BIO* bio = BIO_new(quiet_socket());
  if (bio == nullptr) return false;
  BIO_set_data(bio, reinterpret_cast<void*>(static_cast<std::intptr_t>(socket)));
  BIO_set_init(bio, 1);
  SSL_set_bio(session, bio, bio);
  return true;
}

TlsSession tls_session(SSL_CTX* context, int socket, const std::string& host) {
  TlsSession session(SSL_new(context));
  if (session == nullptr || !use_socket(session.get(), socket) || !expect_name(session.get(), host)) {
    throw Error("OpenSSL cannot begin a connection to " + host);
  }
  SSL_set_connect_state(session.get());
  return session;
}

bool is_certificate_untrusted(SSL* session) {
  return SSL_get_verify_result(session) != X509_V_OK;
}

std::string handshake_error(SSL* session) {
  if (const long error = SSL_get_verify_result(session); error != X509_V_OK) {
    return std::string("its certificate is not trusted: ") + X509_verify_cert_error_string(error) +
           (is_unknown_authority(error) ? "; if it should be, name the file of its authority in SSL_CERT_FILE" : "");
  }
  const char* reason = ERR_reason_error_string(ERR_peek_error());
  return std::string("TLS failed: ") + (reason == nullptr ? "the connection ended" : reason);
}

}  // namespace carrack::data
