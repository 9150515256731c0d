#include "operator/kube/merge_template.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace carrack::control {
namespace {

using nlohmann::json;

struct KeyedList {
  std::string_view name;
  std::vector<std::string_view> key;  // entries with the same values of these fields match
  bool merges = false;                // matching entries are merged; if false, replaced
};

const KeyedList keyed_lists[] = {
    {"containers", {"name"}, true},  {"env", {"name"}},
    {"ports", {"containerPort"}},    {"tolerations", {"key", "effect"}},
    {"volumeMounts", {"mountPath"}}, {"volumes", {"name"}},
};

bool have_same_key(const json& left, const json& right, const KeyedList& list) {
  const auto value = [](const json& entry, std::string_view field) {
    const auto found = entry.find(field);
    return found == entry.end() ? json() : *found;
  };
  return left.is_object() && right.is_object() && std::ranges::all_of(list.key, [&](std::string_view field) {
           return value(left, field) == value(right, field);
         });
}

void merge(const json& over, json& value);

void merge_entries(const json& over, const KeyedList& list, json& entries) {
  for (const json& entry : over) {
    const auto same = std::ranges::find_if(entries, [&](const json& one) { return have_same_key(one, entry, list); });
    if (same == entries.end()) {
      entries.push_back(entry);
    } else if (list.merges) {
      merge(entry, *same);
    } else {
      *same = entry;
    }
  }
}

void merge_field(const std::string& name, const json& over, json& object) {
  if (over.is_null()) {
    object.erase(name);
    return;
  }
  json& value = object[name];
  const auto* list = std::ranges::find(keyed_lists, name, &KeyedList::name);
  if (over.is_object() && value.is_object()) {
    merge(over, value);
  } else if (over.is_array() && value.is_array() && list != std::end(keyed_lists)) {
    merge_entries(over, *list, value);
  } else {
    value = over;
  }
}

void merge(const json& over, json& value) {
  for (const auto& [name, field] : over.items()) merge_field(name, field, value);
}

}  // namespace

void merge_template(const json& pod_template, json& pod) {
  merge(pod_template, pod);
}

}  // namespace carrack::control
