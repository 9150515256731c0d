// Objects of one kind as an API server keeps them: the newest state, and the log that watches are fed from.
// A View is one watcher's cache: it knows a prefix of the log, lags, catches up, and may fall back to an older list.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "operator/runtime/cluster.h"

namespace carrack::simulation {

template <class Object>
struct Stored {
  Object object;
  control::Version version = 0;
};

template <class Object>
class Store {
 public:
  using Objects = std::map<std::string, Stored<Object>>;
  struct Change {
    std::string name;
    std::optional<Object> object;  // empty: deleted
    control::Version version = 0;
  };

  // Kinds count from different numbers, so that comparing versions of two kinds shows.
  explicit Store(control::Version first) : version_(first) {}

  const Objects& objects() const { return objects_; }
  const std::vector<Change>& changes() const { return changes_; }
  control::Version version() const { return version_; }

  const Object* find(const std::string& name) const {
    const auto found = objects_.find(name);
    return found == objects_.end() ? nullptr : &found->second.object;
  }

  control::Version put(const std::string& name, Object object) {
    objects_[name] = {object, ++version_};
    changes_.push_back({name, std::move(object), version_});
    return version_;
  }

  control::Version erase(const std::string& name) {
    objects_.erase(name);
    changes_.push_back({name, std::nullopt, ++version_});
    return version_;
  }

 private:
  Objects objects_;
  std::vector<Change> changes_;
  control::Version version_;
};

template <class Object>
class View {
 public:
  // Filled by a quorum list.
  explicit View(const Store<Object>& store)
      : store_(&store), objects_(store.objects()), position_(store.changes().size()), seen_(store.version()) {}

  bool is_behind() const { return position_ < store_->changes().size(); }

  void advance() {
    const auto& change = store_->changes()[position_++];
    seen_ = change.version;
    if (change.object) {
      objects_[change.name] = {*change.object, change.version};
    } else {
      objects_.erase(change.name);
    }
  }

  // As if listed when only so many changes had happened.
  void fall_back(std::size_t changes) {
    if (changes == 0 || changes > store_->changes().size()) return;
    objects_.clear();
    position_ = 0;
    while (position_ < changes) advance();
  }

  const typename Store<Object>::Objects& objects() const { return objects_; }
  std::size_t position() const { return position_; }
  control::Version seen() const { return seen_; }

 private:
  const Store<Object>* store_;
  typename Store<Object>::Objects objects_;
  std::size_t position_;
  control::Version seen_;
};

}  // namespace carrack::simulation
