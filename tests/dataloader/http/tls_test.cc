// Requests to a TLS server. Who is trusted stands in SSL_CERT_FILE, as OpenSSL reads it.
#include "dataloader/http/tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <netinet/tcp.h>
#include <openssl/pem.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <thread>

#include "dataloader/error.h"
#include "dataloader/http/connections.h"
#include "tests/dataloader/http/scripted_server.h"
#include "tests/dataloader/storage/temporary_folder.h"
#include "tests/operator/api_server/certificates.h"
#include "tests/support/gcs/connection.h"

namespace carrack::data {
namespace {

using control::certified;
using control::Certified;

bool use(SSL_CTX& context, const Certified& own) {
  const auto bio = [](const std::string& text) {
    return std::unique_ptr<BIO, decltype(&BIO_free)>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())),
                                                     &BIO_free);
  };
  X509* certificate = PEM_read_bio_X509(bio(own.certificate).get(), nullptr, nullptr, nullptr);
  EVP_PKEY* key = PEM_read_bio_PrivateKey(bio(own.key).get(), nullptr, nullptr, nullptr);
  SSL_CTX_use_certificate(&context, certificate);
  SSL_CTX_use_PrivateKey(&context, key);
  X509_free(certificate);
  EVP_PKEY_free(key);
  return true;
}

// Gives back what it was sent.
class TlsServer {
 public:
  explicit TlsServer(const Certified& own) : server_([&](SSL_CTX& context) { return use(context, own); }) {
    server_.Post("/", [](const httplib::Request& request, httplib::Response& response) {
      response.set_content(request.body, "application/octet-stream");
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    serving_ = std::jthread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~TlsServer() { server_.stop(); }

  std::string url(const std::string& host) const { return "https://" + host + ":" + std::to_string(port_); }

 private:
  httplib::SSLServer server_;
  int port_ = 0;
  std::jthread serving_;
};

// Answers the first request of a connection before its body, and closes that.
class HastyTlsServer {
 public:
  explicit HastyTlsServer(const Certified& own) : context_(SSL_CTX_new(TLS_server_method()), &SSL_CTX_free) {
    use(*context_, own);
    serving_ = std::jthread([this] {
      while (const auto client = listener_.accept()) {
        serve(*client);
        sockets_.close(*client);
      }
    });
  }
  ~HastyTlsServer() { sockets_.shut(); }

  std::string url() const { return "https://127.0.0.1:" + std::to_string(listener_.port()); }

 private:
  void serve(int client) const {
    const std::unique_ptr<SSL, decltype(&SSL_free)> session(SSL_new(context_.get()), &SSL_free);
    SSL_set_fd(session.get(), client);
    const int on = 1;  // What is written is sent before the connection is closed.
    ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    char request[1024];
    if (SSL_accept(session.get()) != 1 || SSL_read(session.get(), request, sizeof request) <= 0) return;
    const std::string_view reply = "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno";
    SSL_write(session.get(), reply.data(), static_cast<int>(reply.size()));
  }

  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
  tests::OpenSockets sockets_;
  tests::Listener listener_{{"127.0.0.1", 0}, sockets_};
  std::jthread serving_;
};

volatile std::sig_atomic_t broken_pipes = 0;

class Tls : public testing::Test {
 protected:
  Tls() {
    std::ofstream(folder.path() + "/trusted") << authority.certificate;
    ::setenv("SSL_CERT_FILE", (folder.path() + "/trusted").c_str(), 1);
  }
  ~Tls() override { ::unsetenv("SSL_CERT_FILE"); }

  // Why there is no answer. What a server cannot prove now it is not asked for again.
  static std::string failure_at(const std::string& url) {
    const HttpReply reply = HttpConnections(url, {}).send({.method = "POST", .target = "/"});
    const std::string text = reply.failure;
    EXPECT_EQ(is_transient(reply), text.find("its certificate is not trusted") == text.npos) << text;
    const std::string start = "no answer from " + url + " (";
    return text.starts_with(start) ? text.substr(start.size(), text.size() - start.size() - 1) : text;
  }

  const TemporaryFolder folder;
  const Certified authority = certified({"ours", "", 3600, true});
  const Certified stranger = certified({"another's", "", 3600, true});
};

TEST_F(Tls, CarriesLargeBodiesBothWaysOverAKeptConnection) {
  const TlsServer server(certified({"localhost", "IP:127.0.0.1,DNS:localhost"}, authority));
  for (const char* host : {"127.0.0.1", "localhost"}) {
    HttpConnections connections(server.url(host), {});
    for (const std::size_t size : {0u, 1u, 16'384u, 5'000'000u}) {
      std::string body(size, 'x');
      for (std::size_t i = 0; i < size; i += 1000) body[i] = static_cast<char>('a' + i / 1000 % 26);
      const HttpReply reply = connections.send({.method = "POST", .target = "/", .body = body});
      EXPECT_TRUE(reply.is_complete) << reply.failure;
      EXPECT_TRUE(reply.body == body) << size << " bytes at " << host;
      std::string placed(size, ' ');
      std::size_t came = 0;
      const auto place = [&](const HttpReply&, const ReadNow& read) {
        came += read(std::as_writable_bytes(std::span(placed).subspan(came)));
      };
      const auto receive = [&](const HttpReply&, std::span<const std::byte> piece) {
        std::memcpy(placed.data() + came, piece.data(), piece.size());
        came += piece.size();
        return true;
      };
      HttpRequest request{.method = "POST", .target = "/", .body = body};
      request.receive = receive;
      request.receive_in_place = place;
      EXPECT_TRUE(connections.send(request).is_complete);
      EXPECT_TRUE(placed == body) << size << " bytes at " << host;
    }
  }
}

// Whose process has a handler for SIGPIPE keeps it, and hears nothing of our connections.
TEST_F(Tls, BringsAnAnswerThatCameBeforeAllWasSentAndNoSignal) {
  const auto count = [](int) { broken_pipes = broken_pipes + 1; };
  std::signal(SIGPIPE, count);
  const HastyTlsServer server(certified({"localhost", "IP:127.0.0.1"}, authority));
  HttpConnections connections(server.url(), {});
  for (int i = 0; i < 5; ++i) {
    const HttpReply reply =
        connections.send({.method = "PUT", .target = "/", .body = std::string(std::size_t{32} << 20, 'x')});
    EXPECT_TRUE(reply.is_complete) << reply.failure;
    EXPECT_EQ(reply.status, 403);
    EXPECT_EQ(reply.body, "no");
  }
  EXPECT_EQ(broken_pipes, 0);
  EXPECT_TRUE(std::signal(SIGPIPE, SIG_DFL) == +count);
}

// Nothing that a proxy sends is taken for what the server says.
TEST_F(Tls, NobodyAnswersForAServerThatWasNotReached) {
  ScriptedServer proxy([](tests::Connection& client) {
    client.read_head();
    client.write("HTTP/1.1 403 no\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
  });
  const std::map<std::string, std::string> environment{{"HTTPS_PROXY", proxy.url()}};
  HttpConnections connections("https://storage.example.com", {}, {.proxies = Proxies(environment)});
  const HttpReply reply = connections.send(get);
  EXPECT_FALSE(reply.is_complete);
  EXPECT_EQ(reply.body, "");
  EXPECT_EQ(reply.failure.find("no answer from https://storage.example.com through the proxy " + proxy.url() + " ("),
            0u)
      << reply.failure;
}

TEST_F(Tls, TrustsNobodyElse) {
  const TlsServer server(certified({"localhost", "IP:127.0.0.1"}, stranger));
  EXPECT_EQ(failure_at(server.url("127.0.0.1")),
            "its certificate is not trusted: unable to get local issuer certificate; if it should be, name the file of "
            "its authority in SSL_CERT_FILE");
}

TEST_F(Tls, TakesNoCertificateOfAnotherServer) {
  const TlsServer server(certified({"127.0.0.1", "IP:127.0.0.2,DNS:elsewhere.example.com"}, authority));
  EXPECT_EQ(failure_at(server.url("127.0.0.1")), "its certificate is not trusted: IP address mismatch");
  EXPECT_EQ(failure_at(server.url("localhost")), "its certificate is not trusted: hostname mismatch");
}

// RFC 9525: only the subjectAltName counts, and a wildcard stands for a whole label.
TEST_F(Tls, TakesNoCertificateByItsCommonName) {
  const TlsServer server(certified({"localhost", ""}, authority));
  EXPECT_EQ(failure_at(server.url("localhost")), "its certificate is not trusted: hostname mismatch");
}

TEST_F(Tls, TakesNoPartialWildcard) {
  const auto reply_of = [](const TlsServer& server) {
    const auto find = [](const Server& named) { return addresses_of({false, "127.0.0.1", named.port, ""}); };
    HttpConnections connections(server.url("storage.example.com"), {}, {.find = find});
    return connections.send({.method = "POST", .target = "/"});
  };
  EXPECT_TRUE(reply_of(TlsServer(certified({"a", "DNS:*.example.com"}, authority))).is_complete);
  const HttpReply reply = reply_of(TlsServer(certified({"a", "DNS:s*.example.com"}, authority)));
  EXPECT_FALSE(reply.is_complete);
  EXPECT_NE(reply.failure.find("hostname mismatch"), reply.failure.npos) << reply.failure;
}

TEST_F(Tls, TakesNoCertificateThatIsOver) {
  const TlsServer server(certified({"localhost", "IP:127.0.0.1", -3600}, authority));
  EXPECT_EQ(failure_at(server.url("127.0.0.1")), "its certificate is not trusted: certificate has expired");
}

int open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<int>(std::distance(begin(all), end(all)));
}

// OpenSSL refuses to send the name of a server if it has more than 255 characters.
TEST_F(Tls, ClosesTheConnectionIfNoSessionCanBegin) {
  tests::OpenSockets sockets;
  const tests::Listener listener({"127.0.0.1", 0}, sockets);
  const auto find = [port = std::to_string(listener.port())](const Server&) {
    return addresses_of({false, "127.0.0.1", port, ""});
  };
  HttpConnections connections("https://" + std::string(256, 'x'), {}, {.find = find});
  EXPECT_THROW(connections.send(get), Error);
  const int before = open_descriptors();
  EXPECT_THROW(connections.send(get), Error);
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(Tls, DoesNotTalkToAServerWithout) {
  httplib::Server server;
  const int port = server.bind_to_any_port("127.0.0.1");
  const std::jthread serving([&] { server.listen_after_bind(); });
  while (!server.is_running()) std::this_thread::yield();
  // As it is with OpenSSL 3.0 and 3.5.
  EXPECT_THAT(failure_at("https://127.0.0.1:" + std::to_string(port)),
              testing::AnyOf("TLS failed: wrong version number", "TLS failed: the connection ended"));
  server.stop();
}

}  // namespace
}  // namespace carrack::data
