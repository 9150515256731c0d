#include "operator/web/server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <httplib.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <list>
#include <thread>

#include "operator/error.h"

namespace carrack::control {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

class WebServer : public testing::Test {
 protected:
  httplib::Result get(const std::string& path) {
    httplib::Client client("127.0.0.1", server_->port());
    return client.Get(path);
  }
  std::string said(const std::string& path) {
    const auto result = get(path);
    return result ? std::to_string(result->status) + " " + result->body : "no reply";
  }

  std::optional<std::string> not_healthy_;
  std::optional<std::string> not_ready_;
  std::unique_ptr<Server> server_ = std::make_unique<Server>(
      "127.0.0.1:0", Pages{[] { return "x 1\n"; }, [this] { return not_healthy_; }, [this] { return not_ready_; }});
};

// A client that does as it likes.
class Wire {
 public:
  explicit Wire(int port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      throw std::runtime_error("nobody listens");
    }
  }
  ~Wire() { close(socket_); }
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  bool send(const std::string& bytes) {
    return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
  }
  // All that comes until the server closes.
  std::string rest() {
    std::string all;
    char some[4096];
    ssize_t got = 0;
    while ((got = recv(socket_, some, sizeof some, 0)) > 0) all.append(some, static_cast<std::size_t>(got));
    return all;
  }

 private:
  int socket_;
};

std::string error_of(const std::string& address) {
  try {
    const Server server(address, {});
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST_F(WebServer, TellsMetricsInPrometheusFormat) {
  const auto result = get("/metrics");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, 200);
  EXPECT_EQ(result->body, "x 1\n");
  EXPECT_EQ(result->get_header_value("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
}

TEST_F(WebServer, TellsWhetherItIsAliveAndReadyAndWhyNot) {
  EXPECT_EQ(said("/healthz"), "200 ok\n");
  EXPECT_EQ(said("/readyz"), "200 ok\n");
  not_healthy_ = "the loop has not turned for 90 s";
  not_ready_ = "pods: not listed yet";
  EXPECT_EQ(said("/healthz"), "503 the loop has not turned for 90 s\n");
  EXPECT_EQ(said("/readyz"), "503 pods: not listed yet\n");
}

TEST_F(WebServer, KnowsNoOtherPageAndTakesNothing) {
  EXPECT_EQ(said("/"), "404 ");
  EXPECT_EQ(said("/metrics/x"), "404 ");
  httplib::Client client("127.0.0.1", server_->port());
  EXPECT_EQ(client.Post("/healthz", "x", "text/plain")->status, 404);
  EXPECT_EQ(client.Head("/healthz")->status, 200);
}

TEST_F(WebServer, GoesOnAfterAnyBytes) {
  for (const std::string& bytes : {
           std::string("\r\n\r\n"),
           std::string("GET\r\n\r\n"),
           std::string("GET /metrics HTTP/9.9\r\n\r\n"),
           std::string("GET /%zz HTTP/1.1\r\n: \r\n\r\n"),
           std::string("GET /metrics HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n"),
           std::string("\x16\x03\x01\x00\xa5\x01\x00\x00", 8) + "\r\n\r\n",
           std::string(4096, '\0') + "\r\n\r\n",
       }) {
    Wire wire(server_->port());
    wire.send(bytes);
    wire.rest();
  }
  EXPECT_EQ(said("/healthz"), "200 ok\n");
}

TEST_F(WebServer, ReadsNoMoreThanARequestNeeds) {
  for (const std::string& endless : {std::string("x"), std::string("GET / HTTP/1.1\r\n") + "X: y\r\n"}) {
    Wire wire(server_->port());
    wire.send(endless);
    std::size_t sent = 0;
    while (sent < 16'000'000 && wire.send(std::string(1000, 'y') + (endless.size() > 1 ? "\r\nX: " : ""))) sent += 1000;
    EXPECT_LT(sent, 16'000'000U);  // Of which the kernel holds some megabytes back.
  }
  EXPECT_EQ(said("/healthz"), "200 ok\n");
}

TEST_F(WebServer, GivesUpOnARequestThatTakesItsTime) {
  Wire wire(server_->port());
  const auto began = steady_clock::now();
  wire.send("GET /healthz HTTP/1.1\r\nX: ");
  while (wire.send("y") && steady_clock::now() - began < seconds(10)) std::this_thread::sleep_for(milliseconds(50));
  EXPECT_LT(steady_clock::now() - began, seconds(6));
}

TEST_F(WebServer, AnswersAProbeWhileSlowOnesKeepItBusy) {
  std::list<Wire> slow;
  for (int i = 0; i < 12; ++i) slow.emplace_back(server_->port()).send("GET /healthz HTTP/1.1\r\n");
  const auto began = steady_clock::now();
  EXPECT_EQ(said("/healthz"), "200 ok\n");
  EXPECT_LT(steady_clock::now() - began, seconds(5));
}

TEST_F(WebServer, StopsAtOnceThoughClientsAreAtIt) {
  Wire silent(server_->port());
  Wire half(server_->port());
  half.send("GET /healthz HTTP/1.1\r\n");
  EXPECT_EQ(said("/healthz"), "200 ok\n");
  const auto began = steady_clock::now();
  server_.reset();
  EXPECT_LT(steady_clock::now() - began, seconds(2));
  EXPECT_EQ(half.rest(), "");
}

TEST_F(WebServer, SaysWhatAddressItCannotHave) {
  const std::string taken = "127.0.0.1:" + std::to_string(server_->port());
  EXPECT_EQ(error_of(taken), "cannot listen on " + taken + ": Address already in use; give another address or port");
  EXPECT_EQ(error_of("192.0.2.1:8080"),
            "cannot listen on 192.0.2.1:8080: Cannot assign requested address; give another address or port");
  EXPECT_EQ(error_of("nowhere:8080"),
            "cannot listen on nowhere:8080: nowhere is no IP address; give another address or port");
  for (const std::string wrong : {"", "8080", ":8080", "0.0.0.0", "0.0.0.0:", "0.0.0.0:http", "0.0.0.0:65536"}) {
    EXPECT_EQ(error_of(wrong), "cannot listen on '" + wrong + "': it is no ADDRESS:PORT; write one as 0.0.0.0:8080");
  }
}

TEST_F(WebServer, ListensOnAnIPv6Address) {
  const Server server("[::1]:0", Pages{[] { return ""; }, [] { return std::nullopt; }, [] { return std::nullopt; }});
  httplib::Client client("::1", server.port());
  EXPECT_EQ(client.Get("/healthz")->status, 200);
}

}  // namespace
}  // namespace carrack::control
