// Who is trusted, and how we prove who we are, with a TLS server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <openssl/pem.h>

#include <thread>

#include "operator/api_server/client.h"
#include "operator/error.h"
#include "tests/operator/api_server/certificates.h"
#include "tests/operator/api_server/written_files.h"

namespace carrack::control {
namespace {

const SystemClock any_clock;
const ApiRequest get{"GET", "/things"};
const Certified authority = certified({"ours", "", 3600, true});
const Certified stranger = certified({"another's", "", 3600, true});

// Answers with what it was told of us: the client certificate's name, and the token.
class TlsServer {
 public:
  // Clients need a certificate of this authority; empty: they need none.
  explicit TlsServer(const Certified& own, const std::string& clients_authority = "")
      : server_([&](SSL_CTX& context) { return set_up(&context, own, clients_authority); }) {
    server_.Get("/things", [](const httplib::Request& request, httplib::Response& response) {
      response.set_content(request.get_header_value("Authorization"), "text/plain");
      if (request.get_header_value("Authorization") == "Bearer old") response.status = 401;
    });
    server_.Post("/things", [](const httplib::Request&, httplib::Response&) {});
    server_.set_keep_alive_timeout(1);
    port_ = server_.bind_to_any_port("127.0.0.1");
    serving_ = std::jthread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~TlsServer() { server_.stop(); }

  Access access() const {
    Access access;
    set_server(access, "https://127.0.0.1:" + std::to_string(port_));
    access.authority = {"the authority", authority.certificate, ""};
    return access;
  }

 private:
  static bool set_up(SSL_CTX* context, const Certified& own, const std::string& clients_authority) {
    const auto bio = [](const std::string& text) {
      return std::unique_ptr<BIO, decltype(&BIO_free)>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())),
                                                       &BIO_free);
    };
    X509* certificate = PEM_read_bio_X509(bio(own.certificate).get(), nullptr, nullptr, nullptr);
    EVP_PKEY* key = PEM_read_bio_PrivateKey(bio(own.key).get(), nullptr, nullptr, nullptr);
    SSL_CTX_use_certificate(context, certificate);
    SSL_CTX_use_PrivateKey(context, key);
    X509_free(certificate);
    EVP_PKEY_free(key);
    if (clients_authority.empty()) return true;
    X509* trusted = PEM_read_bio_X509(bio(clients_authority).get(), nullptr, nullptr, nullptr);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), trusted);
    X509_free(trusted);
    // In TLS 1.3 a client learns only after its request, and perhaps never, why it was refused.
    SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    return true;
  }

  httplib::SSLServer server_;
  int port_ = 0;
  std::jthread serving_;
};

// The body of the answer, or the error without the server's address.
std::string answer(const Access& access) {
  Credentials credentials(access, {}, any_clock);
  Client client(credentials, {std::chrono::seconds(5), std::chrono::seconds(5)});
  try {
    const ApiReply reply = client.call(get);
    return std::to_string(reply.status) + " " + reply.body;
  } catch (const Error& error) {
    const std::string text = error.what();
    const std::string server = access.server + ": GET /things: ";
    return text.starts_with(server) ? text.substr(server.size()) : text;
  }
}

Certified localhost(const std::string& names = "IP:127.0.0.1") {
  return certified({"localhost", names}, authority);
}

TEST(Tls, TrustsTheAuthorityThatIsNamed) {
  EXPECT_EQ(answer(TlsServer(localhost()).access()), "200 ");
}

TEST(Tls, TrustsOneOfSeveralAuthorities) {
  const TlsServer server(localhost());
  Access access = server.access();
  access.authority.data = stranger.certificate + "\n" + authority.certificate;
  EXPECT_EQ(answer(access), "200 ");
}

TEST(Tls, TrustsNobodyElse) {
  const TlsServer server(localhost());
  Access access = server.access();
  access.authority.data = stranger.certificate;
  EXPECT_EQ(answer(access), "its certificate is not trusted: unable to get local issuer certificate");
  access.authority = {};  // then those of the machine
  EXPECT_EQ(answer(access), "its certificate is not trusted: unable to get local issuer certificate");
}

TEST(Tls, TakesNoCertificateOfAnotherServer) {
  EXPECT_EQ(answer(TlsServer(localhost("IP:127.0.0.2,DNS:localhost")).access()),
            "its certificate is not trusted: IP address mismatch");
  // A common name is no name of a server.
  EXPECT_EQ(answer(TlsServer(certified({"127.0.0.1", ""}, authority)).access()),
            "its certificate is not trusted: IP address mismatch");
}

TEST(Tls, TakesNoCertificateThatIsOver) {
  EXPECT_EQ(answer(TlsServer(certified({"localhost", "IP:127.0.0.1", -3600}, authority)).access()),
            "its certificate is not trusted: certificate has expired");
}

TEST(Tls, ExpectsTheNameThatIsGivenInPlaceOfTheHosts) {
  const TlsServer server(localhost("DNS:kubernetes.test"));
  Access access = server.access();
  access.tls_server_name = "kubernetes.test";
  EXPECT_EQ(answer(access), "200 ");
  access.tls_server_name = "other.test";
  EXPECT_EQ(answer(access), "its certificate is not trusted: hostname mismatch");
}

TEST(Tls, AsksNothingOfAServerWhereItIsToldSo) {
  const TlsServer server(certified({"anybody", ""}, stranger));
  Access access = server.access();
  access.authority = {};
  access.insecure = true;
  EXPECT_EQ(answer(access), "200 ");
}

// As OpenSSL 3.0 and 3.5 say it.
const auto handshake_failure = testing::AnyOf("the TLS handshake failed (sslv3 alert handshake failure)",
                                              "the TLS handshake failed (ssl/tls alert handshake failure)");

TEST(Tls, BlamesNoCertificateThatItWasToldToTake) {
  const TlsServer server(certified({"anybody", ""}, stranger), authority.certificate);
  Access access = server.access();
  access.authority = {};
  access.insecure = true;
  EXPECT_THAT(answer(access), handshake_failure);
}

TEST(Tls, GoesNowhereElseWhereAHostHasNoAddress) {
  const TlsServer server(localhost());
  Access access = server.access();
  access.host = "nobody.invalid";
  access.tls_server_name = "127.0.0.1";
  EXPECT_EQ(answer(access), access.server + ": nobody.invalid cannot be resolved to an address");
}

TEST(Tls, ShowsTheClientCertificate) {
  const TlsServer server(localhost(), authority.certificate);
  Access access = server.access();
  EXPECT_THAT(answer(access), handshake_failure);
  const Certified us = certified({"us", ""}, authority);
  access.certificate = {"our certificate", us.certificate, ""};
  access.key = {"our key", us.key, ""};
  EXPECT_EQ(answer(access), "200 ");
}

TEST(Tls, ShowsTheCertificatesAboveItsOwnToo) {
  const TlsServer server(localhost(), stranger.certificate);
  const Certified between = certified({"between", "", 3600, true}, stranger);
  const Certified us = certified({"us", ""}, between);
  Access access = server.access();
  access.certificate = {"our certificate", us.certificate, ""};
  access.key = {"our key", us.key, ""};
  EXPECT_EQ(answer(access), "the TLS handshake failed (tlsv1 alert unknown ca)");
  access.certificate.data += between.certificate;
  EXPECT_EQ(answer(access), "200 ");
}

TEST(Tls, SaysWhatCannotBeRead) {
  const TlsServer server(localhost());
  Access access = server.access();
  access.authority = {"the authority", "no PEM", ""};
  EXPECT_EQ(answer(access), "the authority: is not a certificate in PEM");
  access.authority = {"the authority", authority.certificate + "-----BEGIN CERTIFICATE-----\nAAAA\n", ""};
  EXPECT_EQ(answer(access), "the authority: is not a certificate in PEM");
  access.authority = {"the authority", "", "/nowhere/ca.crt"};
  EXPECT_EQ(answer(access), "/nowhere/ca.crt: cannot be read: No such file or directory");

  const Certified us = certified({"us", ""}, authority);
  access = server.access();
  access.certificate = {"our certificate", us.key, ""};
  access.key = {"our key", us.certificate, ""};
  EXPECT_EQ(answer(access), "our certificate: is not a certificate in PEM");
  access.certificate.data = us.certificate;
  EXPECT_EQ(answer(access), "our key: is not a private key in PEM, or has a passphrase");
  access.key.data = stranger.key;
  EXPECT_EQ(answer(access), "our key: is not the key of the client certificate");
}

TEST(Tls, SendsAChangeAnewWhereTheServerHasClosedTheConnectionWithAWord) {
  const TlsServer server(localhost());
  Credentials credentials(server.access(), {}, any_clock);
  Client client(credentials);
  EXPECT_EQ(client.call(get).status, 200);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));  // it closes what rests for a second
  EXPECT_EQ(client.call({"POST", "/things", {}, "{}"}).status, 200);
}

TEST_F(WrittenFiles, OfTokensAreReadAgainOnceTheyAreRefused) {
  const TlsServer server(localhost());
  Access access = server.access();
  access.token = {"the token", "", write("token", "first")};
  Credentials credentials(access, {}, any_clock);
  Client client(credentials);
  EXPECT_EQ(client.call(get), (ApiReply{200, "Bearer first", {}}));
  write("token", "second\n");
  EXPECT_EQ(client.call(get).body, "Bearer first") << "is kept for a minute";

  write("token", "old\n");
  credentials.discard(credentials.identity());
  EXPECT_EQ(client.call(get), (ApiReply{401, "Bearer old", {}})) << "there is no other";
  EXPECT_EQ(credentials.identity().token, "old");
  write("token", "new\n");
  EXPECT_EQ(client.call(get), (ApiReply{200, "Bearer new", {}})) << "in the place of a 401";
}

}  // namespace
}  // namespace carrack::control
