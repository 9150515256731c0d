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

// An entry of the template is merged into one of the pod's own entries or replaces it, but never another entry of the
// template: a template may have two tolerations with the same key and effect, for example.
void merge_entries(const json& over, const KeyedList& list, json& entries) {
  std::vector<bool> is_merged(entries.size());  // by the index of the pod's own entry
  for (const json& entry : over) {
    std::size_t at = 0;
    while (at < is_merged.size() && (is_merged[at] || !have_same_key(entries[at], entry, list))) ++at;
    if (at == is_merged.size()) {
      entries.push_back(entry);
      continue;
    }
    is_merged[at] = true;
    if (list.merges) {
      merge(entry, entries[at]);
    } else {
      entries[at] = entry;
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
