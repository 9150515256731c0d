// Every kind of request against every kind of precondition, through the proxy, on a real fake-gcs-server.
#include <atomic>
#include <functional>
#include <thread>

#include "tests/support/gcs/object_store_test_case.h"

namespace carrack::tests {
namespace {

using nlohmann::json;

constexpr const char* object = "/storage/v1/b/bucket/o/x";

class StrictPreconditionsTest : public ObjectStoreTest {
 protected:
  void SetUp() override {
    ObjectStoreTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    ASSERT_EQ(write("x", "old")->status, 200);
    ASSERT_EQ(write("source", "new")->status, 200);
    now = generation("x");
  }

  // The content and generation of x; a request that was refused changes neither.
  std::pair<std::string, std::string> state() const { return {read("x")->body, generation("x")}; }

  int upload_resumably(const std::string& query) const {
    const auto start = client().Post("/upload/storage/v1/b/bucket/o?uploadType=resumable&name=x" + query, "", "");
    if (start->status != 200) return start->status;
    const std::string location = start->get_header_value("Location");
    return client().Put(location.substr(proxy->url().size()), "new", "text/plain")->status;
  }

  int upload_multipart(const std::string& query) const {
    const std::string body =
        "--b\r\nContent-Type: application/json\r\n\r\n{\"name\": \"x\"}\r\n"
        "--b\r\nContent-Type: text/plain\r\n\r\nnew\r\n--b--\r\n";
    return client()
        .Post("/upload/storage/v1/b/bucket/o?uploadType=multipart" + query, body, "multipart/related; boundary=b")
        ->status;
  }

  struct Operation {
    const char* name;
    std::function<int(const std::string& query)> run;
    int success = 200;
  };
  std::vector<Operation> writes() const {
    return {
        {"media", [this](const std::string& q) { return write("x", "new", q)->status; }},
        {"multipart", [this](const std::string& q) { return upload_multipart(q); }},
        {"resumable", [this](const std::string& q) { return upload_resumably(q); }},
        {"rewrite",
         [this](const std::string& q) {
           return client()
               .Post("/storage/v1/b/bucket/o/source/rewriteTo/b/bucket/o/x?" + q, "{}", "application/json")
               ->status;
         }},
        {"compose",
         [this](const std::string& q) {
           return client()
               .Post(std::string(object) + "/compose?" + q, R"({"sourceObjects": [{"name": "source"}]})",
                     "application/json")
               ->status;
         }},
    };
  }
  std::vector<Operation> reads_and_changes() const {
    return {
        {"metadata", [this](const std::string& q) { return metadata("x", q)->status; }},
        {"read", [this](const std::string& q) { return read("x", q)->status; }},
        {"patch",
         [this](const std::string& q) {
           return client()
               .Patch(std::string(object) + "?" + q, R"({"metadata": {"a": "b"}})", "application/json")
               ->status;
         }},
        {"delete", [this](const std::string& q) { return client().Delete(std::string(object) + "?" + q)->status; },
         204},
    };
  }

  std::string now;  // The generation of x.
};

TEST_F(StrictPreconditionsTest, AWriteWhoseMatchFailsIs412AndChangesNothing) {
  const auto before = state();
  for (const Operation& operation : writes()) {
    for (const char* query : {"&ifGenerationMatch=1", "&ifGenerationMatch=0", "&ifMetagenerationMatch=2"}) {
      EXPECT_EQ(operation.run(query), 412) << operation.name << query;
    }
    EXPECT_EQ(operation.run("&ifGenerationNotMatch=" + now), 304) << operation.name;
    EXPECT_EQ(operation.run("&ifMetagenerationNotMatch=1"), 304) << operation.name;
    EXPECT_EQ(operation.run("&ifGenerationMatch=x"), 400) << operation.name;
    EXPECT_EQ(state(), before) << operation.name;
  }
}

TEST_F(StrictPreconditionsTest, AWriteWhoseMatchHoldsIsApplied) {
  for (const Operation& operation : writes()) {
    for (const std::string& query : {"&ifGenerationMatch=" + generation("x"), std::string("&ifMetagenerationMatch=1"),
                                     std::string("&ifGenerationNotMatch=1"), std::string("&ifGenerationNotMatch=0")}) {
      const std::string before = generation("x");
      EXPECT_EQ(operation.run(query), 200) << operation.name << query;
      EXPECT_EQ(read("x")->body, "new") << operation.name;
      EXPECT_NE(generation("x"), before) << operation.name;
    }
  }
}

TEST_F(StrictPreconditionsTest, GenerationZeroStandsForNoObject) {
  for (const Operation& operation : writes()) {
    ASSERT_EQ(client().Delete(object)->status, 204);
    EXPECT_EQ(operation.run("&ifGenerationMatch=" + now), 412) << operation.name;
    EXPECT_EQ(operation.run("&ifGenerationNotMatch=0"), 304) << operation.name;
    EXPECT_EQ(read("x")->status, 404) << operation.name;
    EXPECT_EQ(operation.run("&ifGenerationMatch=0"), 200) << operation.name;
    EXPECT_EQ(read("x")->body, "new") << operation.name;
  }
}

TEST_F(StrictPreconditionsTest, ReadsAndChangesAreRefusedOrDoneTheSameWay) {
  for (const Operation& operation : reads_and_changes()) {
    EXPECT_EQ(operation.run("&ifGenerationMatch=1"), 412) << operation.name;
    EXPECT_EQ(operation.run("&ifMetagenerationMatch=9"), 412) << operation.name;
    EXPECT_EQ(operation.run("&ifGenerationNotMatch=" + now), 304) << operation.name;
    EXPECT_EQ(read("x")->body, "old") << operation.name;
    EXPECT_EQ(operation.run("&ifGenerationMatch=" + now), operation.success) << operation.name;
  }
  EXPECT_EQ(read("x")->status, 404) << "the delete, last, was done";
  for (const Operation& operation : reads_and_changes()) {
    EXPECT_EQ(operation.run("&ifGenerationMatch=" + now), 404) << operation.name << " without an object";
  }
}

TEST_F(StrictPreconditionsTest, ARefusedDeleteLeavesTheObject) {
  EXPECT_EQ(client().Delete(std::string(object) + "?ifGenerationMatch=1")->status, 412);
  EXPECT_EQ(read("x")->body, "old");
}

TEST_F(StrictPreconditionsTest, TheXmlApiTakesThemAsHeaders) {
  const httplib::Headers wrong{{"x-goog-if-generation-match", "1"}};
  const httplib::Headers right{{"x-goog-if-generation-match", now}};
  const auto refused = client().Put("/bucket/x", wrong, "new", "text/plain");
  EXPECT_EQ(refused->status, 412);
  EXPECT_NE(refused->body.find("<Code>PreconditionFailed</Code>"), std::string::npos);
  EXPECT_EQ(client().Get("/bucket/x", wrong)->status, 412);
  EXPECT_EQ(client().Delete("/bucket/x", wrong)->status, 412);
  EXPECT_EQ(client().Get("/bucket/x", right)->body, "old");
  const auto written = client().Put("/bucket/x", right, "new", "text/plain");
  EXPECT_EQ(written->status, 200);
  EXPECT_EQ(written->get_header_value("x-goog-generation"), generation("x"));
  EXPECT_EQ(written->get_header_value("x-goog-stored-content-length"), "3");
  EXPECT_EQ(client().Put("/bucket/x", right, "newer", "text/plain")->status, 412)
      << "the generation is the old one now";
  EXPECT_EQ(client().Put("/bucket/y", {{"x-goog-if-generation-match", "0"}}, "y", "text/plain")->status, 200);
  EXPECT_EQ(client().Delete("/bucket/x", {{"x-goog-if-generation-match", generation("x")}})->status, 204);
}

TEST_F(StrictPreconditionsTest, AChangeOfMetadataRaisesTheMetageneration) {
  const auto patch = [this] { return client().Patch(object, R"({"metadata": {"a": "b"}})", "application/json"); };
  EXPECT_EQ(json::parse(patch()->body)["metageneration"], "2");
  EXPECT_EQ(json::parse(patch()->body)["metageneration"], "3");
  EXPECT_EQ(json::parse(metadata("x")->body)["metageneration"], "3");
  EXPECT_EQ(read("x")->get_header_value("x-goog-metageneration"), "3");
  EXPECT_EQ(generation("x"), now);
  EXPECT_EQ(metadata("x", "ifMetagenerationMatch=1")->status, 412);
  EXPECT_EQ(metadata("x", "ifMetagenerationMatch=3")->status, 200);
  ASSERT_EQ(write("x", "new")->status, 200);
  EXPECT_EQ(json::parse(metadata("x")->body)["metageneration"], "1") << "a new generation begins at 1";
}

TEST_F(StrictPreconditionsTest, OfTheSourceOfACopyAreChecked) {
  const auto copy = [this](const std::string& query) {
    return client()
        .Post("/storage/v1/b/bucket/o/source/rewriteTo/b/bucket/o/x?" + query, "{}", "application/json")
        ->status;
  };
  EXPECT_EQ(copy("ifSourceGenerationMatch=1"), 412);
  EXPECT_EQ(read("x")->body, "old");
  EXPECT_EQ(copy("ifSourceGenerationMatch=" + generation("source")), 200);
  EXPECT_EQ(read("x")->body, "new");
}

TEST_F(StrictPreconditionsTest, ThatAreNotPlayedAreNotIgnored) {
  EXPECT_EQ(client().Get("/storage/v1/b/bucket?ifMetagenerationMatch=1")->status, 501);
  for (const char* name : {"If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range"}) {
    EXPECT_EQ(client().Get(object, {{name, "any"}})->status, 501) << name;
    EXPECT_EQ(client().Get("/bucket/x", {{name, "any"}})->status, 501) << name;
  }
  EXPECT_EQ(client().Get(object, {{"x-goog-if-generation-match", "1"}})->status, 501)
      << "an XML header on the JSON API";
  EXPECT_EQ(client().Get("/bucket/x?ifGenerationMatch=1")->status, 501) << "a JSON parameter on the XML API";
  EXPECT_EQ(client().Post("/batch/storage/v1", "", "multipart/mixed")->status, 501);
}

TEST_F(StrictPreconditionsTest, AFormOfTheXmlApiThatIsNotPlayedWritesNothing) {
  EXPECT_EQ(client().Put("/bucket/x?partNumber=1&uploadId=7", "part", "text/plain")->status, 501);
  EXPECT_EQ(client().Put("/bucket/x", {{"x-goog-copy-source", "bucket/source"}}, "", "")->status, 501);
  EXPECT_EQ(client().Post("/bucket/x?uploads", "", "")->status, 501);
  EXPECT_EQ(client().Get("/bucket/x?acl")->status, 501);
  EXPECT_EQ(state(), std::pair(std::string("old"), now));
  EXPECT_EQ(client().Get("/bucket/x?generation=" + now)->body, "old") << "what is played";
}

TEST_F(StrictPreconditionsTest, OfManyRacingWritersExactlyOneWins) {
  constexpr int writers = 8;
  for (int round = 0; round < 50; ++round) {
    const std::string query = "&ifGenerationMatch=" + generation("x");
    std::atomic<int> won = 0;
    std::atomic<int> lost = 0;
    std::atomic<int> winner = -1;
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < writers; ++i) {
        threads.emplace_back([&, i] {
          const int status = write("x", std::to_string(i), query)->status;
          if (status == 200) winner = i;
          ++(status == 200 ? won : lost);
          EXPECT_TRUE(status == 200 || status == 412) << status;
        });
      }
    }
    ASSERT_EQ(won, 1) << "round " << round;
    ASSERT_EQ(lost, writers - 1);
    ASSERT_EQ(read("x")->body, std::to_string(winner));
  }
}

}  // namespace
}  // namespace carrack::tests
