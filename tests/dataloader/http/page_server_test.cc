#include "dataloader/http/page_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <httplib.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <iterator>
#include <list>
#include <thread>

#include "dataloader/error.h"

namespace carrack::data {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

const Page healthy{.body = "ok\n"};

class WebPages : public testing::Test {
 protected:
  httplib::Result get(const std::string& path) {
    httplib::Client client("127.0.0.1", server_->port());
    return client.Get(path);
  }
  std::string reply_to(const std::string& path) {
    const auto result = get(path);
    return result ? std::to_string(result->status) + " " + result->body : "no reply";
  }

  Page health_ = healthy;
  std::unique_ptr<PageServer> server_ = std::make_unique<PageServer>(
      "127.0.0.1:0",
      Pages{{"/metrics", [] { return Page{.body = "x 1\n", .content_type = "text/plain; version=0.0.4"}; }},
            {"/healthz", [this] { return health_; }},
            {"/large", [] { return Page{.body = std::string(20'000'000, 'x')}; }},
            {"/broken", []() -> Page { throw std::runtime_error("no such job"); }}});
};

// A client that sends any bytes, or none.
class RawClient {
 public:
  explicit RawClient(int port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      throw std::runtime_error("nobody listens");
    }
  }
  ~RawClient() { close(socket_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  bool send(const std::string& bytes) {
    return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
  }
  // All bytes until the server closes.
  std::string receive_all() {
    std::string all;
    char some[4096];
    ssize_t got = 0;
    while ((got = recv(socket_, some, sizeof some, 0)) > 0) all.append(some, static_cast<std::size_t>(got));
    return all;
  }

 private:
  int socket_;
};

std::string listen_error(const std::string& address) {
  try {
    const PageServer server(address, {});
  } catch (const Refused& error) {
    return error.what();
  }
  return "none";
}

TEST_F(WebPages, ServesEachPageWithItsContentType) {
  const auto result = get("/metrics");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, 200);
  EXPECT_EQ(result->body, "x 1\n");
  EXPECT_EQ(result->get_header_value("Content-Type"), "text/plain; version=0.0.4");
  EXPECT_EQ(reply_to("/metrics?name=x"), "200 x 1\n");
}

TEST_F(WebPages, AnswersWithTheStatusOfThePage) {
  EXPECT_EQ(reply_to("/healthz"), "200 ok\n");
  health_ = {.status = 503, .body = "the loop has not turned for 90 s\n"};
  EXPECT_EQ(reply_to("/healthz"), "503 the loop has not turned for 90 s\n");
}

TEST_F(WebPages, ServesNoOtherPageAndNoOtherMethod) {
  EXPECT_EQ(reply_to("/"), "404 no such page\n");
  EXPECT_EQ(reply_to("/metrics/x"), "404 no such page\n");
  httplib::Client client("127.0.0.1", server_->port());
  EXPECT_EQ(client.Post("/healthz", "x", "text/plain")->status, 405);
}

TEST_F(WebPages, SendsAPageThatIsLargerThanTheKernelsBuffers) {
  const auto result = get("/large");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->body.size(), 20'000'000U);
}

TEST_F(WebPages, GoesOnAfterAPageThatFails) {
  EXPECT_EQ(reply_to("/broken"), "500 no such job\n");
  EXPECT_EQ(reply_to("/healthz"), "200 ok\n");
}

TEST_F(WebPages, GoesOnAfterAnyBytes) {
  for (const std::string& bytes : {
           std::string("\r\n\r\n"),
           std::string("GET\r\n\r\n"),
           std::string("GET /metrics HTTP/9.9\r\n\r\n"),
           std::string("GET /%zz HTTP/1.1\r\n: \r\n\r\n"),
           std::string("GET /metrics HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n"),
           std::string("\x16\x03\x01\x00\xa5\x01\x00\x00", 8) + "\r\n\r\n",
           std::string(4096, '\0') + "\r\n\r\n",
       }) {
    RawClient client(server_->port());
    client.send(bytes);
    client.receive_all();
  }
  EXPECT_EQ(reply_to("/healthz"), "200 ok\n");
}

TEST_F(WebPages, RefusesALongRequest) {
  for (const std::string& endless : {std::string("x"), std::string("GET / HTTP/1.1\r\n") + "X: y\r\n"}) {
    RawClient client(server_->port());
    client.send(endless);
    std::size_t sent = 0;
    while (sent < 16'000'000 && client.send(std::string(1000, 'y') + (endless.size() > 1 ? "\r\nX: " : "")))
      sent += 1000;
    EXPECT_LT(sent, 16'000'000U);  // The kernel buffers some megabytes.
  }
  EXPECT_EQ(reply_to("/healthz"), "200 ok\n");
}

TEST_F(WebPages, GivesUpOnASlowRequest) {
  RawClient client(server_->port());
  const auto begin = steady_clock::now();
  client.send("GET /healthz HTTP/1.1\r\nX: ");
  while (client.send("y") && steady_clock::now() - begin < seconds(10)) std::this_thread::sleep_for(milliseconds(50));
  EXPECT_LT(steady_clock::now() - begin, seconds(6));
}

// Also on the very listener that is flooded; the operator gives probes a listener of their own besides.
TEST_F(WebPages, AnswersProbesAtOnceDuringAFloodOfSilentConnections) {
  const PageServer other("127.0.0.1:0", Pages{{"/healthz", [] { return healthy; }}});
  std::list<RawClient> silent;
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 30; ++i) {
      silent.emplace_back(server_->port());
      silent.emplace_back(other.port()).send("GET /healthz HTTP/1.1\r\n");
    }
    const auto begin = steady_clock::now();
    EXPECT_EQ(reply_to("/healthz"), "200 ok\n");
    httplib::Client client("127.0.0.1", other.port());
    EXPECT_EQ(client.Get("/healthz")->status, 200);
    EXPECT_LT(steady_clock::now() - begin, seconds(1)) << round;
  }
}

TEST_F(WebPages, ClosesTheOldestConnectionForANewOne) {
  std::list<RawClient> silent;
  const auto begin = steady_clock::now();
  for (int i = 0; i < 65; ++i) silent.emplace_back(server_->port());
  EXPECT_EQ(silent.front().receive_all(), "");
  EXPECT_LT(steady_clock::now() - begin, seconds(1));
  silent.back().send("GET /healthz HTTP/1.1\r\n\r\n");
  EXPECT_THAT(silent.back().receive_all(), testing::EndsWith("ok\n"));
}

TEST_F(WebPages, StopsAtOnceWhileClientsAreConnected) {
  RawClient silent(server_->port());
  RawClient half(server_->port());
  half.send("GET /healthz HTTP/1.1\r\n");
  EXPECT_EQ(reply_to("/healthz"), "200 ok\n");
  const auto begin = steady_clock::now();
  server_.reset();
  EXPECT_LT(steady_clock::now() - begin, seconds(2));
  EXPECT_EQ(half.receive_all(), "");
}

TEST_F(WebPages, RefusesAnAddressThatItCannotHave) {
  const std::string taken = "127.0.0.1:" + std::to_string(server_->port());
  EXPECT_EQ(listen_error(taken), "Address already in use");
  EXPECT_EQ(listen_error("192.0.2.1:8080"), "Cannot assign requested address");
  EXPECT_EQ(listen_error("nowhere:8080"), "nowhere is not an IP address");
  for (const std::string wrong : {"", "8080", ":8080", "0.0.0.0", "0.0.0.0:", "0.0.0.0:http", "0.0.0.0:65536"}) {
    EXPECT_EQ(listen_error(wrong), "not an ADDRESS:PORT such as 0.0.0.0:8080") << wrong;
  }
}

int open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<int>(std::distance(begin(all), end(all)));
}

TEST_F(WebPages, LeavesNoDescriptorOpenIfItCannotListen) {
  const std::string taken = "127.0.0.1:" + std::to_string(server_->port());
  const int before = open_descriptors();
  EXPECT_EQ(listen_error(taken), "Address already in use");
  EXPECT_EQ(listen_error("nowhere:8080"), "nowhere is not an IP address");
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(WebPages, ListensOnAnIPv6Address) {
  const PageServer server("[::1]:0", Pages{{"/healthz", [] { return healthy; }}});
  httplib::Client client("::1", server.port());
  EXPECT_EQ(client.Get("/healthz")->status, 200);
}

}  // namespace
}  // namespace carrack::data
