// Requests to a TLS server. Who is trusted stands in SSL_CERT_FILE, as OpenSSL reads it.
#include "dataloader/http/tls.h"

#include <gtest/gtest.h>
#include <httplib.h>
#include <openssl/pem.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "dataloader/http/connections.h"
#include "tests/dataloader/storage/temporary_folder.h"
#include "tests/operator/api_server/certificates.h"

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

class Tls : public testing::Test {
 protected:
  Tls() {
    std::ofstream(folder.path() + "/trusted") << authority.certificate;
    ::setenv("SSL_CERT_FILE", (folder.path() + "/trusted").c_str(), 1);
  }
  ~Tls() override { ::unsetenv("SSL_CERT_FILE"); }

  static std::string failure_at(const std::string& url) {
    const std::string text = HttpConnections(url, {}).send({.method = "POST", .target = "/"}).failure;
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
      EXPECT_TRUE(reply.whole) << reply.failure;
      EXPECT_TRUE(reply.body == body) << size << " bytes at " << host;
    }
  }
}

TEST_F(Tls, TrustsNobodyElse) {
  const TlsServer server(certified({"localhost", "IP:127.0.0.1"}, stranger));
  EXPECT_EQ(failure_at(server.url("127.0.0.1")),
            "its certificate is not trusted: unable to get local issuer certificate");
}

TEST_F(Tls, TakesNoCertificateOfAnotherServer) {
  const TlsServer server(certified({"127.0.0.1", "IP:127.0.0.2,DNS:elsewhere.example.com"}, authority));
  EXPECT_EQ(failure_at(server.url("127.0.0.1")), "its certificate is not trusted: IP address mismatch");
  EXPECT_EQ(failure_at(server.url("localhost")), "its certificate is not trusted: hostname mismatch");
}

TEST_F(Tls, TakesNoCertificateThatIsOver) {
  const TlsServer server(certified({"localhost", "IP:127.0.0.1", -3600}, authority));
  EXPECT_EQ(failure_at(server.url("127.0.0.1")), "its certificate is not trusted: certificate has expired");
}

TEST_F(Tls, DoesNotTalkToAServerWithout) {
  httplib::Server server;
  const int port = server.bind_to_any_port("127.0.0.1");
  const std::jthread serving([&] { server.listen_after_bind(); });
  while (!server.is_running()) std::this_thread::yield();
  EXPECT_EQ(failure_at("https://127.0.0.1:" + std::to_string(port)), "TLS failed: wrong version number");
  server.stop();
}

}  // namespace
}  // namespace carrack::data
