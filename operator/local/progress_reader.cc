#include "operator/local/progress_reader.h"

#include <arpa/inet.h>
#include <httplib.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "operator/error.h"

namespace carrack::control {
namespace {

constexpr std::size_t size_max = std::size_t{64} * 1024;
constexpr auto answer_within = std::chrono::seconds(2);

std::int64_t count_at(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer()) return 0;
  return std::max<std::int64_t>(0, found->get<std::int64_t>());
}

}  // namespace

std::optional<CoordinatorReport> report_from(const std::string& json) {
  const nlohmann::json object = nlohmann::json::parse(json, nullptr, false);
  if (!object.is_object()) return std::nullopt;
  CoordinatorReport report;
  report.progress.step = count_at(object, "step");
  report.progress.steps = count_at(object, "total_steps");
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

std::optional<CoordinatorReport> progress_at(const std::string& address) {
  httplib::Client client("http://" + address);
  client.set_connection_timeout(answer_within);
  client.set_read_timeout(answer_within);
  std::string body;
  const auto result = client.Get("/progress", [&](const char* data, std::size_t size) {
    body.append(data, size);
    return body.size() <= size_max;
  });
  if (!result || result->status != 200) return std::nullopt;
  return report_from(body);
}

std::string free_local_address() {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  const bool bound = probe >= 0 && bind(probe, any, size) == 0 && getsockname(probe, any, &size) == 0;
  if (probe >= 0) close(probe);
  if (!bound) throw Error(Blame::platform, "127.0.0.1: no port is free");
  return "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
}

}  // namespace carrack::control
