#include "dataloader/storage/gcs/gcs_storage.h"

#include <algorithm>

#include "dataloader/error.h"
#include "dataloader/storage/gcs/gcs_range_read.h"
#include "dataloader/storage/gcs/gcs_sequential_reader.h"
#include "dataloader/storage/gcs/gcs_text.h"
#include "dataloader/storage/gcs/gcs_writer.h"
#include "dataloader/storage/url.h"

namespace carrack::data {
namespace {

std::string objects_of(const Url& url) {
  return "/storage/v1/b/" + percent_encoded(url.bucket) + "/o";
}

std::string target_of(const std::string& text) {
  const Url url = url_from(text);
  return objects_of(url) + "/" + percent_encoded(url.name);
}

std::string upload_target(const std::string& text, const std::string& kind) {
  const Url url = url_from(text);
  return "/upload" + objects_of(url) + "?uploadType=" + kind + "&name=" + percent_encoded(url.name);
}

ObjectResource object_in(const std::string& url, const HttpReply& reply) {
  const auto object = reply.status == 200 ? object_from(reply.body) : std::nullopt;
  if (!object) throw_unexpected(url, reply);
  return *object;
}

HttpRequest get(const std::string& target) {
  return {.method = "GET", .target = target};
}

}  // namespace

std::optional<ObjectStat> GcsStorage::stat(const std::string& url) {
  const HttpReply reply = client_.send_until_answered(url, get(target_of(url)));
  if (reply.status == 404) return std::nullopt;
  return object_in(url, reply).stat;
}

std::vector<Listed> GcsStorage::list(const std::string& pattern) {
  const Url url = url_from(pattern);
  const std::string target = objects_of(url) + "?prefix=" + percent_encoded(fixed_prefix(url.name)) +
                             "&fields=" + percent_encoded("items(name,size,generation),nextPageToken");
  std::vector<Listed> found;
  std::string page_token;
  do {
    const HttpReply reply = client_.send_until_answered(
        pattern, get(target + (page_token.empty() ? "" : "&pageToken=" + percent_encoded(page_token))));
    const auto page = reply.status == 200 ? page_from(reply.body) : std::nullopt;
    if (!page || (!page_token.empty() && page->next_page == page_token)) throw_unexpected(pattern, reply);
    for (const ObjectResource& object : page->objects) {
      // Names that end with a slash are what consoles make to show folders.
      if (matches(url.name, object.name) && !object.name.ends_with('/')) {
        found.push_back({url.prefix + object.name, object.stat});
      }
    }
    page_token = page->next_page;
  } while (!page_token.empty());
  std::ranges::sort(found, {}, &Listed::url);
  return found;
}

ReadResult GcsStorage::read(const std::string& url, std::span<const Slice> slices,
                            const std::optional<Version>& version) {
  constexpr int most_readings = 3;  // Of a whole object that has not its checksum.
  const std::vector<ObjectRange> ranges = ranges_for(slices);
  if (ranges.empty()) {  // No Range header says "nothing"; one for an empty object is refused.
    const auto found = stat(url);
    if (!found) return ReadResult::absent;
    return version && found->version != *version ? ReadResult::changed : ReadResult::complete;
  }
  for (int readings = 1;; ++readings) {
    const auto object = std::make_shared<GcsObject>(url, target_of(url), version);
    GcsRead reading(fetcher_, object, ranges);
    const ReadResult result = reading.run();
    if (result != ReadResult::complete || !reading.is_damaged()) return result;
    if (readings == most_readings) object->throw_damaged(readings);
  }
}

std::unique_ptr<ObjectReader> GcsStorage::open(const std::string& url, const ObjectStat& stat) {
  auto object = std::make_shared<GcsObject>(url, target_of(url), stat.version);
  return std::make_unique<GcsReader>(fetcher_, ahead_, std::move(object), stat.size);
}

std::unique_ptr<ObjectWriter> GcsStorage::create(const std::string& url, CreateOptions options) {
  const GcsWriter::Targets targets{upload_target(url, "resumable"), target_of(url)};
  return std::make_unique<GcsWriter>(client_, url, targets, options);
}

bool GcsStorage::remove(const std::string& url) {
  const auto found = stat(url);
  if (!found) return false;
  const std::string target = target_of(url) + "?ifGenerationMatch=" + found->version.text;
  const HttpReply reply = client_.send_until_answered(url, {.method = "DELETE", .target = target});
  // 404 and 412: by a try whose reply was lost, or by somebody else; gone it is.
  if (reply.status == 200 || reply.status == 204 || reply.status == 404 || reply.status == 412) return true;
  throw_unexpected(url, reply);
}

std::optional<Latest> GcsStorage::latest(const std::string& url) {
  constexpr int tries = 100;  // Between the two requests it may be replaced.
  for (int i = 0; i < tries; ++i) {
    const auto found = stat(url);
    if (!found) return std::nullopt;
    require_small(url, found->size);
    Bytes bytes(found->size);
    const Slice whole{0, bytes};
    if (read(url, {&whole, 1}, found->version) == ReadResult::complete) return Latest{std::move(bytes), found->version};
  }
  throw Error(url + ": was replaced " + std::to_string(tries) + " times while being read; see who writes it");
}

std::optional<Version> GcsStorage::replace_if(const std::string& url, const std::optional<Version>& expected,
                                              std::span<const std::byte> bytes) {
  require_small(url, bytes.size());
  const std::string generation = expected ? percent_encoded(expected->text) : "0";
  const std::string target = upload_target(url, "multipart") + "&ifGenerationMatch=" + generation;
  Multipart upload = multipart_from(bytes);
  const HttpReply reply = client_.send_until_answered(url, {.method = "POST",
                                                            .target = target,
                                                            .headers = {{"Content-Type", upload.content_type}},
                                                            .body = std::move(upload.body)});
  if (reply.status != 412) return object_in(url, reply).stat.version;
  // Refused, or written by a try whose reply was lost.
  const auto present = latest(url);
  return present && std::ranges::equal(present->bytes, bytes) ? std::optional(present->version) : std::nullopt;
}

}  // namespace carrack::data
