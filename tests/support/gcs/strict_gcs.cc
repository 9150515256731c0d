#include "tests/support/gcs/strict_gcs.h"

#include "tests/support/gcs/gcs_reply.h"

namespace carrack::tests {
namespace {

using nlohmann::json;

std::string object_path(const ObjectName& object) {
  return "/storage/v1/b/" + percent_encoded(object.bucket) + "/o/" + percent_encoded(object.name);
}

bool is_json(const Reply& reply) {
  return header(reply.headers, "Content-Type").value_or("").starts_with("application/json") && !reply.body.empty();
}

// Links in a reply lead back through the proxy, not around it.
void redirect_links(Reply& reply, const Address& from, const std::string& to) {
  const std::string direct = "http://" + from.host + ":" + std::to_string(from.port) + "/";
  const std::string through = "http://" + to + "/";
  for (std::size_t at = 0; (at = reply.body.find(direct, at)) != std::string::npos; at += through.size()) {
    reply.body.replace(at, direct.size(), through);
  }
}

// The first thing in a request that would change its meaning and is played nowhere.
std::optional<std::string> unplayed(const GcsRequest& gcs, const Request& request) {
  if (request.target.path.starts_with("/batch/")) return "a batch";
  if (gcs.xml && gcs.operation == Operation::other) return request.method + " of an object in the XML API";
  for (const auto& [name, value] : request.target.query) {
    if (gcs.xml && name != "generation") return "the parameter " + name + " in the XML API";
    if (gcs.operation == Operation::other && name.starts_with("if") && name.ends_with("Match")) return name;
  }
  for (const char* name :
       {"If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range", "x-goog-copy-source"}) {
    if (header(request.headers, name)) return name;
  }
  for (const char* name : {"x-goog-if-generation-match", "x-goog-if-metageneration-match"}) {
    if (!gcs.xml && header(request.headers, name)) return name;
  }
  return std::nullopt;
}

std::optional<Preconditions> preconditions_of(const GcsRequest& gcs, const Request& request) {
  return gcs.xml ? xml_preconditions(request.headers) : json_preconditions(request.target.query);
}

const char* const not_a_number = "a precondition's value is not a number";

}  // namespace

Reply StrictGcs::handle(const Request& request, Upstream& upstream, std::optional<std::uint64_t> persist_at_most) {
  const GcsRequest gcs = gcs_request_from(request.method, request.target);
  if (const auto what = unplayed(gcs, request)) return error_reply(501, *what + ": not played here");
  Reply reply = carry_out(gcs, request, upstream, persist_at_most);
  if (is_json(reply)) {
    json body = json::parse(reply.body, nullptr, false);
    if (body.is_structured()) {
      metagenerations_.correct(body);
      reply.body = body.dump();
    }
    redirect_links(reply, upstream.address(), header(request.headers, "Host").value_or("localhost"));
  }
  const bool error_of_ours = reply.status >= 400 && is_json(reply);
  return gcs.xml && (gcs.operation != Operation::read_media || error_of_ours) ? as_xml(reply) : reply;
}

Reply StrictGcs::carry_out(const GcsRequest& gcs, const Request& request, Upstream& upstream,
                           std::optional<std::uint64_t> persist_at_most) {
  switch (gcs.operation) {
    case Operation::read_metadata:
    case Operation::read_media:
      return read(gcs, request, upstream);
    case Operation::insert:
      return insert(gcs, request, upstream);
    case Operation::start_upload:
      return start_upload(gcs, request);
    case Operation::continue_upload:
      return continue_upload(request, upstream, persist_at_most);
    case Operation::cancel_upload:
      if (!expire_upload(*parameter(request.target.query, "upload_id"), 410)) return error_reply(404, "no such upload");
      return {499, {}, ""};
    case Operation::patch:
    case Operation::remove:
      return change_existing(gcs, request, upstream);
    case Operation::copy:
      return copy(gcs, request, upstream);
    case Operation::compose:
      return compose(gcs, request, upstream);
    case Operation::other:
      break;
  }
  return upstream.send(request);
}

std::optional<LiveObject> StrictGcs::live(const ObjectName& object, const std::optional<std::string>& generation,
                                          Upstream& upstream) {
  Request request{"GET", {object_path(object), {}}, {}, ""};
  if (generation) request.target.query.emplace_back("generation", *generation);
  const json found = json::parse(upstream.send(request).body, nullptr, false);
  if (!found.is_object() || !found.contains("generation")) return std::nullopt;
  const std::int64_t number = std::stoll(found["generation"].get<std::string>());
  return LiveObject{number, metagenerations_.of(object, number)};
}

Reply StrictGcs::read(const GcsRequest& gcs, const Request& request, Upstream& upstream) {
  const auto preconditions = preconditions_of(gcs, request);
  if (!preconditions) return error_reply(400, not_a_number);
  const bool from_memory = holds_objects_ && gcs.operation == Operation::read_media && request.method == "GET";
  std::optional<LiveObject> found;
  ObjectLocks::Locks locks;
  if (preconditions->any() || from_memory) {
    locks = locks_.lock({gcs.object});
    found = live(gcs.object, parameter(request.target.query, "generation"), upstream);
    if (!found) return error_reply(404, "No such object: " + gcs.object.bucket + "/" + gcs.object.name);
    if (const Verdict v = verdict(*preconditions, found); v != Verdict::met) return refusal_of(v);
  }
  if (gcs.operation == Operation::read_metadata) return upstream.send(request);
  Request download{request.method, {"/download" + object_path(gcs.object), {{"alt", "media"}}}, request.headers, ""};
  if (const auto generation = parameter(request.target.query, "generation")) {
    download.target.query.emplace_back("generation", *generation);
  }
  Reply reply = from_memory ? held_objects_.download(download, found->generation, upstream) : upstream.open(download);
  if (const auto generation = header(reply.headers, "x-goog-generation")) {
    const std::int64_t metageneration = metagenerations_.of(gcs.object, std::stoll(*generation));
    reply.headers.emplace_back("x-goog-metageneration", std::to_string(metageneration));
  }
  return reply;
}

Reply StrictGcs::store(const Insert& insert, const Preconditions& preconditions, Upstream& upstream) {
  Multipart upload = to_multipart(insert);
  const Request request{
      "POST",
      {"/upload/storage/v1/b/" + percent_encoded(insert.object.bucket) + "/o", {{"uploadType", "multipart"}}},
      {{"Content-Type", upload.content_type}},
      std::move(upload.body)};
  const ObjectLocks::Locks locks = locks_.lock({insert.object});
  if (preconditions.any()) {
    const Verdict v = verdict(preconditions, live(insert.object, std::nullopt, upstream));
    if (v != Verdict::met) return refusal_of(v);
  }
  return upstream.send(request);
}

Reply StrictGcs::insert(const GcsRequest& gcs, const Request& request, Upstream& upstream) {
  const auto preconditions = preconditions_of(gcs, request);
  if (!preconditions) return error_reply(400, not_a_number);
  const auto insert = insert_from(gcs, request.target.query, request.headers, request.body);
  return insert ? store(*insert, *preconditions, upstream) : error_reply(400, "the upload has no name or is malformed");
}

Reply StrictGcs::start_upload(const GcsRequest& gcs, const Request& request) {
  const auto preconditions = json_preconditions(request.target.query);
  if (!preconditions) return error_reply(400, not_a_number);
  json metadata = request.body.empty() ? json::object() : json::parse(request.body, nullptr, false);
  if (!metadata.is_object()) return error_reply(400, "the metadata is not a JSON object");
  Insert target{gcs.object, metadata, ""};
  if (target.object.name.empty()) target.object.name = metadata.value("name", "");
  if (target.object.name.empty()) return error_reply(400, "the upload has no name");
  if (const auto type = header(request.headers, "X-Upload-Content-Type"); type && !metadata.contains("contentType")) {
    target.metadata["contentType"] = *type;
  }
  std::optional<std::uint64_t> total;
  if (const auto length = header(request.headers, "X-Upload-Content-Length")) {
    total = number_from(*length);
    if (!total) return error_reply(400, "X-Upload-Content-Length: " + *length + " is not a number of bytes");
  }
  const std::string id = sessions_.start(target, *preconditions, total);
  const Target location{"/upload/storage/v1/b/" + percent_encoded(gcs.object.bucket) + "/o",
                        {{"uploadType", "resumable"}, {"name", target.object.name}, {"upload_id", id}}};
  const std::string host = header(request.headers, "Host").value_or("localhost");
  return {200, {{"Location", "http://" + host + to_text(location)}, {"X-GUploader-UploadID", id}}, ""};
}

Reply StrictGcs::continue_upload(const Request& request, Upstream& upstream,
                                 std::optional<std::uint64_t> persist_at_most) {
  UploadSession* session = sessions_.find(*parameter(request.target.query, "upload_id"));
  if (session == nullptr) return error_reply(404, "no such upload");
  const MutexLock lock(session->mutex);
  if (const auto* gone = std::get_if<UploadSession::Gone>(&session->ended)) {
    return error_reply(gone->status, "the upload is no longer available; start a new one");
  }
  if (const auto* finished = std::get_if<Reply>(&session->ended)) return *finished;

  std::optional<ContentRange> range;
  if (const auto text = header(request.headers, "Content-Range")) {
    range = content_range_from(*text);
    if (!range) return error_reply(400, "Content-Range: " + *text + " is malformed");
  }
  const Received received = receive(session->upload, range, request.body, persist_at_most);
  if (const auto* refused = std::get_if<Refused>(&received)) return error_reply(400, refused->why);
  if (const auto* incomplete = std::get_if<Incomplete>(&received)) {
    Reply reply = incomplete_reply(persisted_range(session->upload));
    reply.persisted_less = incomplete->shortened;
    return reply;
  }
  add_hashes(session->target.metadata, header(request.headers, "x-goog-hash"));
  session->target.content = std::move(session->upload.content);
  Reply reply = store(session->target, session->preconditions, upstream);
  session->target.content = {};
  session->ended = reply.status == 200 ? UploadSession::Ended(reply) : UploadSession::Gone{410};
  return reply;
}

Reply StrictGcs::change_existing(const GcsRequest& gcs, const Request& request, Upstream& upstream) {
  const auto preconditions = preconditions_of(gcs, request);
  if (!preconditions) return error_reply(400, not_a_number);
  const ObjectLocks::Locks locks = locks_.lock({gcs.object});
  const auto generation = parameter(request.target.query, "generation");
  const auto found = live(gcs.object, generation, upstream);
  if (!found) return error_reply(404, "No such object: " + gcs.object.bucket + "/" + gcs.object.name);
  if (const Verdict v = verdict(*preconditions, found); v != Verdict::met) return refusal_of(v);
  Request plain{request.method, {object_path(gcs.object), {}}, request.headers, request.body};
  if (generation) plain.target.query.emplace_back("generation", *generation);
  Reply reply = upstream.send(plain);
  if (reply.status != 200) return reply;
  if (gcs.operation == Operation::remove) return {204, {}, ""};
  metagenerations_.raise(gcs.object, found->generation);
  plain.method = "GET";
  plain.body.clear();
  return upstream.send(plain);
}

Reply StrictGcs::copy(const GcsRequest& gcs, const Request& request, Upstream& upstream) {
  const auto preconditions = json_preconditions(request.target.query);
  const auto of_source = json_preconditions(request.target.query, "ifSource");
  if (!preconditions || !of_source) return error_reply(400, not_a_number);
  const ObjectLocks::Locks locks = locks_.lock({gcs.object, gcs.source});
  const auto source = live(gcs.source, parameter(request.target.query, "sourceGeneration"), upstream);
  if (!source) return error_reply(404, "No such object: " + gcs.source.bucket + "/" + gcs.source.name);
  if (const Verdict v = verdict(*of_source, source); v != Verdict::met) return refusal_of(v);
  const auto destination = preconditions->any() ? live(gcs.object, std::nullopt, upstream) : std::nullopt;
  if (const Verdict v = verdict(*preconditions, destination); v != Verdict::met) return refusal_of(v);
  return upstream.send(request);
}

Reply StrictGcs::compose(const GcsRequest& gcs, const Request& request, Upstream& upstream) {
  const auto preconditions = json_preconditions(request.target.query);
  if (!preconditions) return error_reply(400, not_a_number);
  const json body = json::parse(request.body, nullptr, false);
  if (!body.is_object() || !body.contains("sourceObjects")) return error_reply(400, "no sourceObjects");
  for (const json& source : body["sourceObjects"]) {
    if (source.contains("generation") || source.contains("objectPreconditions")) {
      return error_reply(501, "the generation of a compose's source is not played here");
    }
  }
  const ObjectLocks::Locks locks = locks_.lock({gcs.object});
  const auto destination = preconditions->any() ? live(gcs.object, std::nullopt, upstream) : std::nullopt;
  if (const Verdict v = verdict(*preconditions, destination); v != Verdict::met) return refusal_of(v);
  return upstream.send(request);
}

}  // namespace carrack::tests
