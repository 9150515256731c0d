// fault-proxy --upstream URL [--host HOST] [--port PORT] [--hold yes]: a FaultProxy until SIGTERM or SIGINT. Prints its
// URL.
#include <csignal>
#include <exception>
#include <iostream>
#include <string>

#include "tests/support/gcs/fault_proxy.h"

namespace {

constexpr const char* usage =
    "usage: fault-proxy --upstream http://HOST:PORT [--host HOST] [--port PORT] [--hold yes]\n";

}  // namespace

int main(int argc, char** argv) {
  std::string upstream;
  bool holds_objects = false;
  carrack::tests::Address listen_on{"127.0.0.1", 0};
  try {
    for (int i = 1; i < argc; i += 2) {
      const std::string option = argv[i];
      const std::string value = i + 1 < argc ? argv[i + 1] : "";
      if (option == "--upstream") {
        upstream = value;
      } else if (option == "--host") {
        listen_on.host = value;
      } else if (option == "--port") {
        listen_on.port = std::stoi(value);
      } else if (option == "--hold" && value == "yes") {
        holds_objects = true;
      } else {
        std::cerr << usage;
        return 2;
      }
    }
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    pthread_sigmask(SIG_BLOCK, &ends, nullptr);  // Before any thread, so that none of them takes the signal.
    const carrack::tests::FaultProxy proxy(upstream, listen_on, holds_objects);
    std::cout << proxy.url() << std::endl;
    int got = 0;
    sigwait(&ends, &got);
  } catch (const std::exception& error) {
    std::cerr << "fault-proxy: " << error.what() << '\n' << usage;
    return 2;
  }
  return 0;
}
