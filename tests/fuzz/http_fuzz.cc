// Any bytes from a server in place of a reply, in the variables that name proxies, and of the kernel in place of its
// files on control groups: a value, and the same content however the bytes come. The first byte says in what pieces.
#include <algorithm>
#include <string>
#include <string_view>

#include "dataloader/error.h"
#include "dataloader/http/message.h"
#include "dataloader/http/proxies.h"
#include "dataloader/http/service_url.h"
#include "dataloader/machine/control_groups.h"
#include "tests/fuzz/must.h"

namespace carrack::data {
namespace {

using fuzz::must;

struct Read {
  std::string content;
  std::size_t consumed = 0;
  bool over = false;
  bool broken = false;
  bool operator==(const Read&) const = default;
};

Read read(const HttpReply& head, std::string_view text, std::size_t piece) {
  BodyDecoder body(head);
  Read read;
  while (read.consumed < text.size() && !body.is_over() && !body.is_broken()) {
    const std::string_view input = text.substr(read.consumed, piece);
    const BodyDecoder::Step step = body.step(std::as_bytes(std::span(input)));
    must(step.consumed > 0 && step.consumed <= input.size() && step.content.size() <= step.consumed,
         "each step consumes some of its input");
    read.content.append(reinterpret_cast<const char*>(step.content.data()), step.content.size());
    read.consumed += step.consumed;
  }
  read.over = body.is_over();
  read.broken = body.is_broken();
  must(read.broken == !body.problem().empty(), "a broken body has a problem");
  return read;
}

void check_reply(std::string_view text, std::size_t piece) {
  constexpr std::string_view blank_line = "\r\n\r\n";
  const std::size_t end = text.find(blank_line);
  if (end == text.npos) return;
  const auto reply = parse_reply_head(text.substr(0, end + blank_line.size()));
  if (!reply) return;
  must(reply->status >= 100 && reply->status <= 999, "a status has three digits");
  const std::string_view rest = text.substr(end + blank_line.size());
  must(read(*reply, rest, piece) == read(*reply, rest, rest.size()), "pieces change nothing");
  const auto location = reply->header("Location");
  const auto target = location ? target_on_same_server("https://storage.googleapis.com", *location) : std::nullopt;
  must(!target || target->starts_with('/'), "the target is a path");
  must(!target || target->find_first_of("\r\n ") == std::string::npos, "it adds no line to a request");
}

void check_proxies(const std::string& text) {
  try {
    const Proxies proxies({{"HTTPS_PROXY", text}, {"NO_PROXY", text}});
    const Server server = server_from("https://storage.googleapis.com").value();
    if (const auto proxy = proxies.proxy_for(server)) {
      const std::string head = connect_request(*proxy, server);
      must(head.find("\r\n\r\n") == head.size() - 4, "it adds no line to a request");
    }
  } catch (const Refused&) {
  }
}

void check_groups(std::string_view text) {
  for (const char* controller : {"", "memory", "cpu"}) {
    const auto groups = groups_in(text, controller);
    must(groups.empty() || groups.back().empty(), "the last group is the root");
  }
  memory_in(text);
  memory_limit_in(text);
  const auto cpus = cpu_limit_in(text);
  must(!cpus || *cpus > 0, "a limit is positive");
}

}  // namespace
}  // namespace carrack::data

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  carrack::data::check_reply(text, std::max<std::size_t>(bytes[0], 1));
  carrack::data::check_proxies(std::string(text));
  carrack::data::check_groups(text);
  return 0;
}
