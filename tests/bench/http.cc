// bench_http: ranges of 8 MiB over HTTP, read into memory by our client and by cpp-httplib's.
//   bench_http serve CERTIFICATE KEY             serves them until its input ends, over TLS unless both are empty;
//   prints
//                                                its port
//   bench_http ours|httplib URL STREAMS RANGES   prints how many bytes a second of CPU time reads, and how many came a
//                                                second; each stream has a connection, which it keeps
#include <httplib.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "dataloader/http/connections.h"

namespace carrack::data {
namespace {

constexpr std::size_t range = std::size_t{8} << 20;
const std::string path = "/object";
const std::string asked = "bytes=0-" + std::to_string(range - 1);

int serve(const std::string& certificate, const std::string& key) {
  const std::unique_ptr<httplib::Server> server =
      certificate.empty() ? std::make_unique<httplib::Server>()
                          : std::make_unique<httplib::SSLServer>(certificate.c_str(), key.c_str());
  const std::string content(range, 'x');
  server->new_task_queue = [] { return new httplib::ThreadPool(64); };
  server->set_keep_alive_max_count(1'000'000);
  server->set_tcp_nodelay(true);
  server->Get(path, [&](const httplib::Request&, httplib::Response& response) {
    response.set_content_provider(content.size(), "application/octet-stream",
                                  [&](std::size_t offset, std::size_t size, httplib::DataSink& sink) {
                                    return sink.write(content.data() + offset, std::min(size, std::size_t{256} << 10));
                                  });
  });
  std::printf("%d\n", server->bind_to_any_port("127.0.0.1"));
  std::fflush(stdout);
  std::jthread serving([&] { server->listen_after_bind(); });
  std::cin.ignore(std::numeric_limits<std::streamsize>::max());
  server->stop();
  return 0;
}

// Fills `into`, once each time it is called.
using Reader = std::function<void(std::vector<char>& into)>;

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "bench_http: %s\n", why.c_str());
  std::exit(1);
}

Reader ours(const std::string& url) {
  return [connections = std::make_shared<HttpConnections>(url, HttpTimeouts{})](std::vector<char>& into) {
    std::size_t came = 0;
    HttpRequest request{.method = "GET", .target = path, .headers = {{"Range", asked}}};
    request.receive = [&](const HttpReply&, std::span<const std::byte> piece) {
      std::memcpy(into.data() + came, piece.data(), piece.size());
      came += piece.size();
      return true;
    };
    request.receive_in_place = [&](const HttpReply&, const ReadNow& read) {
      constexpr std::size_t at_once = std::size_t{256} << 10;  // As reading from gs:// does.
      came += read(std::as_writable_bytes(std::span(into).subspan(came).first(std::min(at_once, into.size() - came))));
    };
    const HttpReply reply = connections->send(request);
    if (!reply.is_complete || came != range) give_up(reply.failure);
  };
}

Reader of_httplib(const std::string& url) {
  const auto client = std::make_shared<httplib::Client>(url);
  client->set_keep_alive(true);
  client->set_tcp_nodelay(true);
  client->set_decompress(false);
  if (const char* trusted = std::getenv("SSL_CERT_FILE")) client->set_ca_cert_path(trusted);
  return [client](std::vector<char>& into) {
    std::size_t came = 0;
    const auto result = client->Get(path, {{"Range", asked}}, [&](const char* piece, std::size_t size) {
      std::memcpy(into.data() + came, piece, size);
      came += size;
      return true;
    });
    if (!result || came != range) give_up(httplib::to_string(result.error()));
  };
}

double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

int read(const std::function<Reader(const std::string&)>& reader, const std::string& url, int streams, int ranges) {
  const auto begun = std::chrono::steady_clock::now();
  std::atomic<int> next = 0;
  {
    std::vector<std::jthread> threads;
    for (int stream = 0; stream < streams; ++stream) {
      threads.emplace_back([&] {
        const Reader read_one = reader(url);
        std::vector<char> into(range);
        while (next++ < ranges) read_one(into);
      });
    }
  }
  const double bytes = static_cast<double>(range) * ranges;
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begun;
  std::printf("%.0f bytes_a_s=%.0f\n", bytes / cpu_seconds(), bytes / passed.count());
  return 0;
}

}  // namespace
}  // namespace carrack::data

int main(int argc, char** argv) {
  using namespace carrack::data;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 3 && arguments[0] == "serve") return serve(arguments[1], arguments[2]);
  if (arguments.size() == 4) {
    const bool is_ours = arguments[0] == "ours";
    return read(is_ours ? ours : of_httplib, arguments[1], std::stoi(arguments[2]), std::stoi(arguments[3]));
  }
  std::fprintf(stderr, "usage: bench_http serve CERTIFICATE KEY, or ours|httplib URL STREAMS RANGES\n");
  return 2;
}
