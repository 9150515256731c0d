// The fixture of tests that need an object store: a fake-gcs-server with the bucket `bucket` and a FaultProxy in front
// of it, both new for each test. Where the server is not built the test is skipped; in CI it fails.
#pragma once

#include <gtest/gtest.h>
#include <httplib.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/gcs/fake_gcs.h"
#include "tests/support/gcs/fault_proxy.h"

namespace carrack::tests {

// Call from SetUp: there a skip keeps the test's body from running.
inline void skip_unless_built(const std::filesystem::path& program) {
  if (std::filesystem::exists(program)) return;
  const std::string reason = program.string() + " is not built; `./dev test` builds it";
  const char* ci = std::getenv("CI");
  if (ci != nullptr && std::string_view(ci) == "true") FAIL() << reason;
  GTEST_SKIP() << "SKIPPED: " << reason;
}

class ObjectStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    skip_unless_built(fake_gcs_program());
    if (IsSkipped() || HasFatalFailure()) return;
    store = std::make_unique<FakeGcs>(std::vector<std::string>{"bucket"});
    proxy = std::make_unique<FaultProxy>(store->url());
  }

  httplib::Client client() const { return httplib::Client(proxy->url()); }

  // One request each, on a connection of its own. `query` is appended, as in "&ifGenerationMatch=0".
  httplib::Result write(const std::string& name, const std::string& content, const std::string& query = "") const {
    return client().Post("/upload/storage/v1/b/bucket/o?uploadType=media&name=" + name + query, content, "text/plain");
  }
  httplib::Result read(const std::string& name, const std::string& query = "") const {
    return client().Get("/storage/v1/b/bucket/o/" + name + "?alt=media" + query);
  }
  httplib::Result metadata(const std::string& name, const std::string& query = "") const {
    return client().Get("/storage/v1/b/bucket/o/" + name + "?" + query);
  }
  // Of an object that must be there.
  std::string generation(const std::string& name) const {
    return nlohmann::json::parse(metadata(name)->body).at("generation").get<std::string>();
  }

  std::unique_ptr<FakeGcs> store;
  std::unique_ptr<FaultProxy> proxy;  // After the store: it must end first.
};

}  // namespace carrack::tests
