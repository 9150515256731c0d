// Servers and resolvers that are never silent and never done, or that reply before they have read the whole request,
// and addresses at which nothing answers.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "dataloader/http/socket.h"
#include "tests/dataloader/http/scripted_server.h"

namespace carrack::data {
namespace {

using std::chrono::milliseconds;

TEST(GivingUp, OnAReplyThatIsOnlyEverAnnounced) {
  std::string announced;
  for (int i = 0; i < 17; ++i) announced += "HTTP/1.1 103 Early Hints\r\n\r\n";
  EXPECT_EQ(failure_at(answering(announced).url()), " (more than 16 replies came that only announce one)");
}

// Neither is ever silent.
TEST(GivingUp, OnWhoSendsAFewBytesNowAndThen) {
  for (const std::string begun : {"HTTP/1.1 200 OK\r\nA: ", "HTTP/1.1 200 OK\r\n\r\n"}) {
    const ScriptedServer server([&](tests::Connection& client) {
      client.read_head();
      for (bool reads = client.write(begun); reads; reads = client.write("x"))
        std::this_thread::sleep_for(milliseconds(1));
    });
    EXPECT_EQ(failure_at(server.url(), {.window = milliseconds(50), .window_bytes_min = 1'000'000}),
              " (slower than 1000000 bytes in 50 ms)");
  }
}

TEST(GivingUp, OnWhoTakesAFewBytesNowAndThen) {
  const ScriptedServer server([](tests::Connection& client) {
    std::string piece(65'536, 'x');
    while (client.read_some(piece.data(), piece.size()) > 0) std::this_thread::sleep_for(milliseconds(5));
  });
  const HttpTimeouts timeouts{.window = milliseconds(50), .window_bytes_min = std::uint64_t{1} << 40};
  const HttpRequest upload{.method = "PUT", .target = "/", .body = std::string(std::size_t{64} << 20, 'x')};
  EXPECT_EQ(HttpConnections(server.url(), timeouts).send(upload).failure,
            "no answer from " + server.url() + " (slower than 1099511627776 bytes in 50 ms)");
}

// What is refused need not be heard to its end, and who refuses it may close or take no more.
TEST(GivingUp, BringsAnAnswerThatCameBeforeAllWasSent) {
  for (const bool closes : {true, false}) {
    std::promise<void> over;
    const ScriptedServer server([&, until = over.get_future().share()](tests::Connection& client) {
      client.read_head();
      client.write("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
      if (!closes) until.wait();
    });
    HttpConnections connections(server.url(), {.silence = milliseconds(100)});
    const HttpRequest upload{.method = "PUT", .target = "/", .body = std::string(std::size_t{64} << 20, 'x')};
    const HttpReply reply = connections.send(upload);
    EXPECT_TRUE(reply.is_complete) << reply.failure;
    EXPECT_EQ(reply.status, 403);
    EXPECT_EQ(reply.body, "no");
    over.set_value();
  }
}

TEST(GivingUp, OnANameThatNobodyTells) {
  const std::string url = "http://slow.example.com";
  std::promise<void> over;
  const auto hanging = [until = over.get_future().share()](const Server&) -> Addresses {
    until.wait();
    return "too late";
  };
  EXPECT_EQ(HttpConnections(url, {.connect = milliseconds(30)}, {.find = hanging}).send(get).failure,
            "no answer from " + url + " (cannot find slow.example.com: no answer for 30 ms)");
  Stop stop;
  HttpRequest request = get;
  request.stop = &stop;
  std::jthread stopping([&] {
    std::this_thread::sleep_for(milliseconds(30));
    stop.stop();
  });
  EXPECT_EQ(HttpConnections(url, {.connect = std::chrono::hours(1)}, {.find = hanging}).send(request).failure,
            "no answer from " + url + " (was stopped)");
  over.set_value();
}

const Route to_many_addresses{Server{.host = "many.addresses", .port = {}, .name = {}}};

// The address of a listener that accepts nothing. Its queue is full, so the kernel answers no other connection.
class SilentAddress {
 public:
  SilentAddress() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<const sockaddr*>(&place), sizeof place), 0);
    EXPECT_EQ(::listen(listener_, 0), 0);
    address_.size = sizeof address_.bytes;
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address_.bytes), &address_.size), 0);
    in_the_queue_.emplace(std::vector<Address>{address_}, to_many_addresses, nullptr, HttpTimeouts{}, nullptr);
    EXPECT_EQ(in_the_queue_->failure(), "");
  }
  ~SilentAddress() { ::close(listener_); }
  SilentAddress(const SilentAddress&) = delete;
  SilentAddress& operator=(const SilentAddress&) = delete;

  const Address& address() const { return address_; }

 private:
  const int listener_;
  Address address_;
  std::optional<Socket> in_the_queue_;
};

TEST(GivingUp, OnManyAddressesThatDoNotAnswerTakesOneTimeLimit) {
  const SilentAddress silent;
  const std::vector<Address> addresses(20, silent.address());
  const auto begun = std::chrono::steady_clock::now();
  const Socket connection(addresses, to_many_addresses, nullptr, {.connect = milliseconds(400)}, nullptr);
  EXPECT_TRUE(connection.failure().starts_with("cannot connect: silent for ")) << connection.failure();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(4));
}

TEST(GivingUp, OnAnAddressThatDoesNotAnswerLeavesTimeForTheNext) {
  const SilentAddress silent;
  tests::OpenSockets sockets;
  tests::Listener listener({"127.0.0.1", 0}, sockets);
  const Addresses next = addresses_of({.host = "127.0.0.1", .port = std::to_string(listener.port()), .name = {}});
  const std::vector<Address> addresses{silent.address(), std::get<std::vector<Address>>(next).at(0)};
  EXPECT_EQ(Socket(addresses, to_many_addresses, nullptr, {.connect = milliseconds(2000)}, nullptr).failure(), "");
}

}  // namespace
}  // namespace carrack::data
