#include "dataloader/storage/gcs/gcs_storage.h"

#include <algorithm>

#include "dataloader/error.h"
#include "dataloader/storage/gcs/gcs_object.h"
#include "dataloader/storage/gcs/gcs_text.h"
#include "dataloader/storage/gcs/gcs_writer.h"
#include "dataloader/storage/remote/range_read.h"
#include "dataloader/storage/remote/sequential_reader.h"
#include "dataloader/storage/url.h"

namespace carrack::data {
namespace {

std::string objects_target(const Url& url) {
  return "/storage/v1/b/" + percent_encoded(url.bucket) + "/o";
}

std::string object_target(const std::string& object_url) {
  const Url url = url_from(object_url);
  return objects_target(url) + "/" + percent_encoded(url.name);
}

std::string upload_target(const std::string& object_url, const std::string& kind) {
  const Url url = url_from(object_url);
  return "/upload" + objects_target(url) + "?uploadType=" + kind + "&name=" + percent_encoded(url.name);
}

HttpRequest get(const std::string& target) {
  return {.method = "GET", .target = target};
}

}  // namespace

GcsStorage::GcsStorage(const GcsClientSettings& settings)
    : listed_objects_max_(settings.listed_objects_max),
      listed_pages_max_(settings.listed_pages_max),
      client_(settings),
      read_ahead_memory_(settings.read_ahead_bytes, range_bytes_max) {}

std::optional<ObjectStat> GcsStorage::stat(const std::string& url) {
  const HttpReply reply = client_.send_with_retries(url, get(object_target(url)));
  if (reply.status == 404) return std::nullopt;
  return object_in(url, reply).stat;
}

std::vector<Listed> GcsStorage::list(const std::string& pattern) {
  const Url url = pattern_from(pattern);
  const std::string target = objects_target(url) + "?prefix=" + percent_encoded(fixed_prefix(url.name)) +
                             "&fields=" + percent_encoded("items(name,size,generation),nextPageToken");
  std::vector<Listed> found;
  std::string page_token;
  for (std::size_t pages = 1;; ++pages) {
    if (pages > listed_pages_max_) {
      throw Refused(pattern + ": the listing has more than " + std::to_string(listed_pages_max_) +
                    " pages; begin the pattern with more of the names");
    }
    const HttpReply reply = client_.send_with_retries(
        pattern, get(target + (page_token.empty() ? "" : "&pageToken=" + percent_encoded(page_token))));
    const auto page = reply.status == 200 ? page_from(reply.body) : std::nullopt;
    if (!page || (!page_token.empty() && page->next_page == page_token)) throw_unexpected(pattern, reply);
    for (const ObjectResource& object : page->objects) {
      // Skips objects whose names end with a slash: consoles make such objects to show folders.
      if (matches(url.name, object.name) && !object.name.ends_with('/')) {
        found.push_back({url.prefix + object.name, object.stat});
      }
    }
    if (found.size() > listed_objects_max_) {
      throw Refused(pattern + ": more than " + std::to_string(listed_objects_max_) +
                    " objects match; write a pattern that fewer match");
    }
    page_token = page->next_page;
    if (page_token.empty()) break;
  }
  std::ranges::sort(found, {}, &Listed::url);
  return found;
}

ReadResult GcsStorage::read(const std::string& url, std::span<const Slice> slices,
                            const std::optional<Version>& version) {
  constexpr int attempts_max = 3;  // maximum number of readings of an object that does not match its checksum
  const std::vector<ObjectRange> ranges = ranges_for(slices);
  // A Range header cannot request 0 bytes, and the service refuses one for an empty object. So this only calls stat().
  if (ranges.empty()) {
    const auto found = stat(url);
    if (!found) return ReadResult::absent;
    return version && found->version != *version ? ReadResult::changed : ReadResult::complete;
  }
  for (int attempt = 1;; ++attempt) {
    const auto object = std::make_shared<GcsObject>(url, object_target(url), version);
    RangeRead read(fetch_pool_, object, ranges);
    const ReadResult result = read.run();
    if (result != ReadResult::complete || !read.is_damaged()) return result;
    if (attempt == attempts_max) object->throw_damaged(attempt);
  }
}

std::unique_ptr<ObjectReader> GcsStorage::open(const std::string& url, const ObjectStat& stat) {
  auto object = std::make_shared<GcsObject>(url, object_target(url), stat.version);
  return std::make_unique<SequentialReader>(fetch_pool_, read_ahead_memory_, std::move(object), stat.size);
}

std::unique_ptr<ObjectWriter> GcsStorage::create(const std::string& url, CreateOptions options) {
  const GcsWriter::Targets targets{upload_target(url, "resumable"), object_target(url)};
  return std::make_unique<GcsWriter>(client_, url, targets, options);
}

bool GcsStorage::remove(const std::string& url) {
  const auto found = stat(url);
  if (!found) return false;
  const std::string target = object_target(url) + "?ifGenerationMatch=" + found->version.text;
  const HttpReply reply = client_.send_with_retries(url, {.method = "DELETE", .target = target});
  // 404 and 412 mean that this version is gone: a try whose reply was lost, or another process, has removed it.
  if (reply.status == 200 || reply.status == 204 || reply.status == 404 || reply.status == 412) return true;
  throw_unexpected(url, reply);
}

std::optional<Latest> GcsStorage::latest(const std::string& url) {
  constexpr int tries = 100;  // because the object may be replaced between the two requests
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
  const HttpReply reply = client_.send_with_retries(url, {.method = "POST",
                                                          .target = target,
                                                          .headers = {{"Content-Type", upload.content_type}},
                                                          .body = std::move(upload.body)});
  if (reply.status != 412) return object_in(url, reply).stat.version;
  // 412: the object has another version. Either another writer was first, or an earlier try, whose reply was lost, has
  // written the object. The content tells which.
  const auto present = latest(url);
  return present && std::ranges::equal(present->bytes, bytes) ? std::optional(present->version) : std::nullopt;
}

}  // namespace carrack::data
