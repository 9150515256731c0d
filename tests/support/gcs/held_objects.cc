#include "tests/support/gcs/held_objects.h"

#include <algorithm>
#include <string_view>

#include "tests/support/gcs/gcs_reply.h"

namespace carrack::tests {

std::optional<std::pair<std::uint64_t, std::uint64_t>> requested_range(const std::string& range, std::uint64_t size) {
  constexpr std::string_view unit = "bytes=";
  const std::size_t dash = range.find('-');
  if (!range.starts_with(unit) || dash == std::string::npos || size == 0) return std::nullopt;
  const std::string_view first = std::string_view(range).substr(unit.size(), dash - unit.size());
  const std::string_view last = std::string_view(range).substr(dash + 1);
  const auto end = last.empty() ? std::optional(size - 1) : number_from(last);
  if (!end) return std::nullopt;
  if (first.empty())
    return last.empty() || *end == 0 ? std::nullopt : std::optional(std::pair(size - std::min(*end, size), size - 1));
  const auto begin = number_from(first);
  if (!begin || *begin >= size || *end < *begin) return std::nullopt;
  return std::pair(*begin, std::min(*end, size - 1));
}

Reply HeldObjects::download(Request request, std::int64_t generation, Upstream& upstream) {
  const std::optional<std::string> range = header(request.headers, "Range");
  remove_header(request.headers, "Range");
  const auto object = find_or_download(request, generation, upstream);
  if (object->status != 200) return *object;
  Reply reply{object->status, object->headers, ""};
  const std::uint64_t size = object->body.size();
  std::pair<std::uint64_t, std::uint64_t> sent{0, size - 1};
  if (range) {
    const auto requested = requested_range(*range, size);
    if (!requested) return error_reply(416, "The requested range cannot be satisfied.");
    sent = *requested;
    reply.status = 206;
    reply.headers.emplace_back("Content-Range", "bytes " + std::to_string(sent.first) + "-" +
                                                    std::to_string(sent.second) + "/" + std::to_string(size));
  }
  reply.held = std::shared_ptr<const std::string>(object, &object->body);
  reply.held_from = sent.first;
  reply.streamed = sent.second + 1 - sent.first;
  return reply;
}

std::shared_ptr<const Reply> HeldObjects::find_or_download(const Request& request, std::int64_t generation,
                                                           Upstream& upstream) {
  const std::pair key{request.target.path, generation};
  const MutexLock lock(mutex_);  // Held during the download as well, so that each object is downloaded once.
  auto found = objects_.find(key);
  if (found == objects_.end()) {
    Reply reply = upstream.send(request);
    found = objects_.emplace(key, std::make_shared<const Reply>(std::move(reply))).first;
  }
  return found->second;
}

}  // namespace carrack::tests
