#include "trainer/loop/progress.h"

#include <httplib.h>

#include <charconv>
#include <cmath>
#include <mutex>
#include <thread>

#include "trainer/error.h"

namespace carrack::train {
namespace {

// JSON has no word for what is not finite; a loss that has run away is told as null.
std::string number(double value) {
  if (!std::isfinite(value)) return "null";
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

}  // namespace

std::string json_of(const ProgressReport& report) {
  // The manifest's name holds letters, digits and dashes alone, so nothing here needs escaping.
  return "{\"step\":" + std::to_string(report.batches_done) +
         ",\"total_steps\":" + std::to_string(report.batches_total) + ",\"loss\":" + number(report.loss) +
         ",\"checkpoint\":{\"step\":" + std::to_string(report.last_commit.version) + ",\"manifest\":\"" +
         report.last_commit.manifest + "\"},\"drained\":" + (report.drained ? "true" : "false") + "}\n";
}

class ProgressServer::Http {
 public:
  explicit Http(const std::string& address) {
    server_.Get("/progress", [this](const httplib::Request&, httplib::Response& response) {
      const std::lock_guard lock(mutex_);
      response.set_content(text_, "application/json");
      told_ = true;
    });
    const std::size_t colon = address.rfind(':');
    if (!server_.bind_to_port(address.substr(0, colon), std::stoi(address.substr(colon + 1)))) {
      throw Error(Blame::platform, "cannot serve progress at " + address);
    }
    thread_ = std::jthread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();  // Before that it cannot be stopped.
  }
  ~Http() { server_.stop(); }

  void show(std::string text) {
    const std::lock_guard lock(mutex_);
    if (text == text_) return;
    text_ = std::move(text);
    told_ = false;
  }

  bool told() {
    const std::lock_guard lock(mutex_);
    return told_;
  }

 private:
  std::mutex mutex_;
  std::string text_;
  bool told_ = false;
  httplib::Server server_;
  std::jthread thread_;
};

ProgressServer::ProgressServer(const std::string& address) {
  if (!address.empty()) http_ = std::make_unique<Http>(address);
}

ProgressServer::~ProgressServer() = default;

void ProgressServer::show(const ProgressReport& report) {
  if (http_) http_->show(json_of(report));
}

bool ProgressServer::told() const {
  return !http_ || http_->told();
}

}  // namespace carrack::train
