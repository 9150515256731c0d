#include "tests/support/gcs/uploads.h"

#include "tests/support/gcs/http_text.h"

namespace carrack::tests {
namespace {

std::uint64_t whole_quanta(std::uint64_t length) {
  return length / upload_quantum * upload_quantum;
}

std::optional<Refused> contradiction(const Upload& upload, const ContentRange& range, std::string_view body) {
  const std::uint64_t announced = range.bytes ? range.bytes->last - range.bytes->first + 1 : 0;
  if (announced != body.size()) {
    return Refused{"the Content-Range announces " + std::to_string(announced) + " bytes, the body has " +
                   std::to_string(body.size())};
  }
  if (range.total && upload.total && *range.total != *upload.total) {
    return Refused{"the total size was " + std::to_string(*upload.total) + " and is now " +
                   std::to_string(*range.total)};
  }
  if (range.bytes && range.total && range.bytes->last >= *range.total) {
    return Refused{"the range ends at " + std::to_string(range.bytes->last) + ", beyond the total size"};
  }
  return std::nullopt;
}

// Appends what is new in the body, up to `end`.
void persist(Upload& upload, std::uint64_t first, std::string_view body, std::uint64_t end) {
  const std::uint64_t persisted = upload.content.size();
  if (first > persisted || end <= persisted) return;
  upload.content.append(body.substr(persisted - first, end - persisted));
}

}  // namespace

std::optional<ContentRange> content_range_from(std::string_view text) {
  constexpr std::string_view unit = "bytes ";
  const std::size_t slash = text.find('/');
  if (!text.starts_with(unit) || slash == std::string_view::npos) return std::nullopt;
  const std::string_view bytes = text.substr(unit.size(), slash - unit.size());
  const std::string_view total = text.substr(slash + 1);
  ContentRange range{std::nullopt, number_from(total)};
  if (!range.total && total != "*") return std::nullopt;
  if (bytes == "*") return range;
  const std::size_t dash = bytes.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = number_from(bytes.substr(0, dash));
  const auto last = number_from(bytes.substr(dash + 1));
  if (!first || !last || *last < *first) return std::nullopt;
  range.bytes = ContentRange::Bytes{*first, *last};
  return range;
}

Received receive(Upload& upload, const std::optional<ContentRange>& given, std::string_view body,
                 std::optional<std::uint64_t> persist_at_most) {
  ContentRange range = given.value_or(ContentRange{std::nullopt, body.size()});
  if (!given && !body.empty()) range.bytes = ContentRange::Bytes{0, body.size() - 1};
  if (const auto refused = contradiction(upload, range, body)) return *refused;
  if (range.total) upload.total = range.total;

  const std::uint64_t first = range.bytes ? range.bytes->first : upload.content.size();
  const std::uint64_t sent_to = first + body.size();
  const bool is_last = range.total == sent_to;
  const std::uint64_t limit = persist_at_most ? first + *persist_at_most : sent_to;
  const bool shortened = limit < sent_to;
  persist(upload, first, body, shortened ? whole_quanta(limit) : is_last ? sent_to : whole_quanta(sent_to));
  if (range.total == upload.content.size()) return Complete{};
  return Incomplete{shortened};
}

std::optional<std::string> persisted_range(const Upload& upload) {
  if (upload.content.empty()) return std::nullopt;
  return "bytes=0-" + std::to_string(upload.content.size() - 1);
}

}  // namespace carrack::tests
