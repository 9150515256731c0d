// One text at one address, to whoever asks for it over HTTP and however slowly: a connection is one request of at most
// 8 KiB and ends 2 seconds after it began, or when 64 later ones are there. Nobody who asks holds up another, nor the
// process that ends.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

namespace carrack::train {

class Page {
 public:
  // Answers `GET PATH` at `HOST:PORT`. Throws Error where nobody can listen there.
  Page(const std::string& address, std::string path);
  ~Page();
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;

  void show(std::string text);
  // Whether what is shown has been asked for.
  bool told() const { return told_; }

 private:
  struct Guest {
    int socket;
    std::chrono::steady_clock::time_point until;
    std::string request = {};
    bool answered = false;
    bool done = false;
  };

  void serve(const std::stop_token& stop);
  void take_in();
  void hear(Guest& guest);
  std::string answer_to(const std::string& request);

  const std::string path_;
  const int listener_;
  std::mutex mutex_;  // Guards text_.
  std::string text_;
  std::atomic<bool> told_ = false;
  std::deque<Guest> guests_;  // The oldest first.
  std::jthread thread_;       // Last: it uses all of the above.
};

}  // namespace carrack::train
