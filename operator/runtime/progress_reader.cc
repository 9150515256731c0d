#include "operator/runtime/progress_reader.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "trainer/launch/job_token.h"

namespace carrack::control {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t reply_bytes_max = std::size_t{64} * 1024;
constexpr auto reply_timeout = std::chrono::seconds(2);

// A connection whose every step ends by the same deadline. An HTTP library bounds each read only, so a reply that comes
// byte by byte could last for ever.
class Connection {
 public:
  Connection(const std::string& address, Clock::time_point deadline) : deadline_(deadline) {
    const std::size_t colon = address.rfind(':');
    if (colon == std::string::npos) return;
    std::string host = address.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    addrinfo hints{};
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (getaddrinfo(host.c_str(), address.c_str() + colon + 1, &hints, &found) != 0) return;
    socket_ = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool begun =
        socket_ >= 0 && (connect(socket_, found->ai_addr, found->ai_addrlen) == 0 || errno == EINPROGRESS);
    freeaddrinfo(found);
    connected_ = begun && wait(POLLOUT);
  }
  ~Connection() {
    if (socket_ >= 0) close(socket_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool send(std::string_view text) const {
    return connected_ && ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
  }

  // All bytes until the other side closes; nullopt if they are too many or too late.
  std::optional<std::string> receive() const {
    std::string all;
    char bytes[4096];
    while (wait(POLLIN)) {
      const ssize_t size = recv(socket_, bytes, sizeof bytes, 0);
      if (size == 0) return all;
      if (size < 0 || all.size() + static_cast<std::size_t>(size) > reply_bytes_max) return std::nullopt;
      all.append(bytes, static_cast<std::size_t>(size));
    }
    return std::nullopt;
  }

 private:
  bool wait(short event) const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now());
    pollfd one{socket_, event, 0};
    return left.count() > 0 && poll(&one, 1, static_cast<int>(left.count())) == 1 && (one.revents & POLLERR) == 0;
  }

  const Clock::time_point deadline_;
  int socket_ = -1;
  bool connected_ = false;
};

std::int64_t count_at(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer()) return 0;
  return std::max<std::int64_t>(0, found->get<std::int64_t>());
}

// JSON has no infinity and no NaN, so a status cannot hold them.
std::optional<double> number_at(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  const bool is_one = found != object.end() && found->is_number() && std::isfinite(found->get<double>());
  return is_one ? std::optional(found->get<double>()) : std::nullopt;
}

bool tells_of(const nlohmann::json& object, const ProgressSource& source) {
  const auto job = object.find("job");
  // Trainers of the release before served the UID itself.
  const bool same_job = job != object.end() && (*job == train::job_token(source.job_uid) || *job == source.job_uid);
  return same_job && count_at(object, "attempt") == source.fence.attempt &&
         count_at(object, "incarnation") == source.fence.incarnation;
}

}  // namespace

std::optional<CoordinatorReport> parse_report(const std::string& json, const ProgressSource& source) {
  const nlohmann::json object = nlohmann::json::parse(json, nullptr, false);
  if (!object.is_object() || !tells_of(object, source)) return std::nullopt;
  CoordinatorReport report;
  report.fence = source.fence;
  using Kind = DataWork::Kind;
  for (const auto& [name, kind] : {std::pair("indexing", Kind::indexing), std::pair("snapshot", Kind::snapshot)}) {
    const auto work = object.find(name);
    if (work == object.end() || !work->is_object()) continue;
    report.data_work = DataWork{kind, count_at(*work, "files"), count_at(*work, "total_files"),
                                count_at(*work, "bytes"), count_at(*work, "total_bytes")};
    return report;
  }
  report.progress.step = count_at(object, "step");
  report.progress.steps = count_at(object, "total_steps");
  report.progress.loss = number_at(object, "loss");
  const auto drained = object.find("drained");
  report.drained = drained != object.end() && drained->is_boolean() && drained->get<bool>();
  const auto checkpoint = object.find("checkpoint");
  if (checkpoint != object.end() && checkpoint->is_object()) {
    const auto name = checkpoint->find("manifest");
    if (name != checkpoint->end() && name->is_string() && !name->get_ref<const std::string&>().empty()) {
      report.last_checkpoint = LastCheckpoint{count_at(*checkpoint, "step"), name->get<std::string>()};
    }
  }
  return report;
}

std::optional<CoordinatorReport> read_progress(const ProgressSource& source) {
  const Connection connection(source.address, Clock::now() + reply_timeout);
  if (!connection.send("GET /progress HTTP/1.0\r\nHost: " + source.address + "\r\n\r\n")) return std::nullopt;
  const std::optional<std::string> reply = connection.receive();
  const bool succeeded = reply && reply->starts_with("HTTP/1.") && reply->substr(8, 5) == " 200 ";
  const std::size_t head = succeeded ? reply->find("\r\n\r\n") : std::string::npos;
  return head == std::string::npos ? std::nullopt : parse_report(reply->substr(head + 4), source);
}

}  // namespace carrack::control
