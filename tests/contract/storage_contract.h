// What every Storage does, as tests: instantiate StorageContract with the places to try it on.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include "dataloader/storage/storage.h"

namespace carrack::data {

// An empty place, removed with the object.
class StoragePlace {
 public:
  virtual ~StoragePlace() = default;
  virtual Storage& storage() = 0;
  // Its URL; names follow after a slash.
  virtual std::string root() const = 0;
};

struct StorageKind {
  std::string name;
  std::filesystem::path program;  // That it needs; where it is not built the tests are skipped. Empty: none.
  std::function<std::unique_ptr<StoragePlace>()> make;
};
inline void PrintTo(const StorageKind& kind, std::ostream* out) {
  *out << kind.name;
}

class StorageContract : public testing::TestWithParam<StorageKind> {
 protected:
  void SetUp() override;

  Storage& storage() { return place_->storage(); }
  std::string url(const std::string& name) const { return place_->root() + "/" + name; }

 private:
  std::unique_ptr<StoragePlace> place_;
};

}  // namespace carrack::data
