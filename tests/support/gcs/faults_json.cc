#include "tests/support/gcs/faults_json.h"

#include <set>
#include <stdexcept>

namespace carrack::tests {
namespace {

using nlohmann::json;

void only(const json& object, const std::string& where, const std::set<std::string>& known) {
  if (!object.is_object()) throw std::invalid_argument(where + ": is not an object");
  for (const auto& [key, value] : object.items()) {
    if (!known.contains(key)) throw std::invalid_argument(where + "." + key + ": no such field");
  }
}

template <typename Value>
Value field(const json& object, const std::string& where, const std::string& key) {
  const auto found = object.find(key);
  if (found == object.end()) throw std::invalid_argument(where + "." + key + ": is missing");
  try {
    return found->get<Value>();
  } catch (const json::exception& error) {
    throw std::invalid_argument(where + "." + key + ": " + error.what());
  }
}

template <typename Value>
std::optional<Value> optional_field(const json& object, const std::string& where, const std::string& key) {
  return object.contains(key) ? std::optional(field<Value>(object, where, key)) : std::nullopt;
}

Fault fault_from(const std::string& kind, const json& of, const std::string& where) {
  if (kind == "slow") {
    only(of, where, {"first_byte_ms", "bytes_per_second"});
    const auto rate = optional_field<std::uint64_t>(of, where, "bytes_per_second");
    if (rate == 0U) throw std::invalid_argument(where + ".bytes_per_second: is 0; leave it out for no limit");
    return Slow{std::chrono::milliseconds(optional_field<std::int64_t>(of, where, "first_byte_ms").value_or(0)), rate};
  }
  if (kind == "persist") {
    only(of, where, {"at_most_bytes"});
    return PersistAtMost{field<std::uint64_t>(of, where, "at_most_bytes")};
  }
  if (kind == "answer") {
    only(of, where, {"status", "applied"});
    return Answer{field<int>(of, where, "status"), optional_field<bool>(of, where, "applied").value_or(false)};
  }
  if (kind == "stall") {
    only(of, where, {"after_bytes", "lasts_ms"});
    return Stall{field<std::uint64_t>(of, where, "after_bytes"),
                 std::chrono::milliseconds(field<std::int64_t>(of, where, "lasts_ms"))};
  }
  if (kind == "cut") {
    only(of, where, {"after_bytes"});
    return Cut{field<std::uint64_t>(of, where, "after_bytes")};
  }
  if (kind == "expire") {
    only(of, where, {"status"});
    return ExpireUpload{field<int>(of, where, "status")};
  }
  only(of, where, {});
  return kind == "lose_request" ? Ending(LoseRequest{}) : Ending(LoseReply{});
}

Rule rule_from(const json& of, const std::string& where) {
  only(of, where,
       {"method", "target", "nth", "share", "slow", "persist", "answer", "stall", "cut", "lose_request", "lose_reply",
        "expire"});
  Rule rule{optional_field<std::string>(of, where, "method").value_or(""),
            optional_field<std::string>(of, where, "target").value_or(""), Always{}, Slow{}};
  if (const auto nth = optional_field<std::vector<std::uint64_t>>(of, where, "nth")) rule.when = Nth{*nth};
  if (const auto share = optional_field<double>(of, where, "share")) {
    if (of.contains("nth")) throw std::invalid_argument(where + ": has both nth and share");
    rule.when = Share{*share};
  }
  int kinds = 0;
  for (const std::string kind : {"slow", "persist", "answer", "stall", "cut", "lose_request", "lose_reply", "expire"}) {
    if (!of.contains(kind)) continue;
    rule.fault = fault_from(kind, of[kind], where + "." + kind);
    ++kinds;
  }
  if (kinds != 1) throw std::invalid_argument(where + ": names " + std::to_string(kinds) + " faults instead of one");
  return rule;
}

struct ToJson {
  json operator()(const Slow& slow) const {
    json of{{"first_byte_ms", slow.first_byte.count()}};
    if (slow.bytes_per_second) of["bytes_per_second"] = *slow.bytes_per_second;
    return {{"slow", of}};
  }
  json operator()(const PersistAtMost& persist) const { return {{"persist", {{"at_most_bytes", persist.bytes}}}}; }
  json operator()(const Ending& ending) const { return std::visit(*this, ending); }
  json operator()(const Answer& answer) const {
    return {{"answer", {{"status", answer.status}, {"applied", answer.applied}}}};
  }
  json operator()(const Stall& stall) const {
    return {{"stall", {{"after_bytes", stall.after_bytes}, {"lasts_ms", stall.lasts.count()}}}};
  }
  json operator()(const Cut& cut) const { return {{"cut", {{"after_bytes", cut.after_bytes}}}}; }
  json operator()(const LoseRequest&) const { return {{"lose_request", json::object()}}; }
  json operator()(const LoseReply&) const { return {{"lose_reply", json::object()}}; }
  json operator()(const ExpireUpload& expire) const { return {{"expire", {{"status", expire.status}}}}; }
};

json to_json(const Rule& rule) {
  json of = std::visit(ToJson(), rule.fault);
  if (!rule.method.empty()) of["method"] = rule.method;
  if (!rule.target.empty()) of["target"] = rule.target;
  if (const auto* nth = std::get_if<Nth>(&rule.when)) of["nth"] = nth->numbers;
  if (const auto* share = std::get_if<Share>(&rule.when)) of["share"] = share->of_requests;
  return of;
}

}  // namespace

Faults faults_from(const json& of) {
  only(of, "faults", {"seed", "rules", "bearer"});
  Faults faults{optional_field<std::uint64_t>(of, "faults", "seed").value_or(0), {}};
  faults.bearer = optional_field<std::string>(of, "faults", "bearer").value_or("");
  const json rules = optional_field<json>(of, "faults", "rules").value_or(json::array());
  if (!rules.is_array()) throw std::invalid_argument("faults.rules: is not an array");
  for (const json& rule : rules) {
    faults.rules.push_back(rule_from(rule, "rules[" + std::to_string(faults.rules.size()) + "]"));
  }
  return faults;
}

json to_json(const Faults& faults) {
  json rules = json::array();
  for (const Rule& rule : faults.rules) rules.push_back(to_json(rule));
  json of{{"seed", faults.seed}, {"rules", rules}};
  if (!faults.bearer.empty()) of["bearer"] = faults.bearer;
  return of;
}

}  // namespace carrack::tests
