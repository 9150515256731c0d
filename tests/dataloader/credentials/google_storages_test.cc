// The storages of a process as its environment says, with nothing of them played but the services.
#include "dataloader/credentials/google_storages.h"

#include <gtest/gtest.h>
#include <httplib.h>

#include <fstream>
#include <thread>

#include "dataloader/error.h"
#include "tests/dataloader/http/scripted_server.h"
#include "tests/dataloader/storage/temporary_folder.h"

namespace carrack::data {
namespace {

const std::string object = R"({"name":"a","size":"5","generation":"17"})";

// Of tokens and of objects. The first request for a token it does not serve.
class Service {
 public:
  Service() {
    server_.Post("/token", [this](const httplib::Request&, httplib::Response& response) {
      response.status = tokens_asked_for_++ == 0 ? 503 : 200;
      response.body = R"({"access_token":"fresh","expires_in":3599})";
    });
    server_.Get(".*", [](const httplib::Request& request, httplib::Response& response) {
      response.status = request.get_header_value("Authorization") == "Bearer fresh" ? 200 : 401;
      response.body = object;
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    serving_ = std::jthread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~Service() { server_.stop(); }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  int tokens_asked_for_ = 0;
  httplib::Server server_;
  int port_ = 0;
  std::jthread serving_;
};

Moment now() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

std::string credentials_in(const TemporaryFolder& folder, const Service& service) {
  const std::string file = folder.path() + "/credentials";
  std::ofstream(file)
      << R"({"type":"authorized_user","client_id":"a","client_secret":"b","refresh_token":"c","token_uri":")"
      << service.url() << R"(/token"})";
  return file;
}

TEST(GoogleStorages, WaitForATokenServiceThatIsIll) {
  const Service service;
  const TemporaryFolder folder;
  const GoogleStorages google({{"GOOGLE_APPLICATION_CREDENTIALS", credentials_in(folder, service)},
                               {"CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE", service.url()}},
                              now, 1, 1 << 30);
  EXPECT_EQ(google.storages().for_url("gs://bucket/a").stat("gs://bucket/a")->size, 5u);
}

TEST(GoogleStorages, AreReachedThroughTheProxy) {
  const Service service;
  const ScriptedServer proxy = answering("HTTP/1.1 407 Who are you\r\n\r\n");
  const TemporaryFolder folder;
  const GoogleStorages google(
      {{"GOOGLE_APPLICATION_CREDENTIALS", credentials_in(folder, service)}, {"HTTPS_PROXY", proxy.url()}}, now, 1,
      1 << 30);
  try {
    google.storages().for_url("gs://bucket/a").stat("gs://bucket/a");
    FAIL();
  } catch (const Refused& error) {
    EXPECT_EQ(error.what(), "gs://bucket/a: no answer from https://storage.googleapis.com through the proxy " +
                                proxy.url() +
                                " (HTTP 407; name who may use it in HTTPS_PROXY, as USER:PASSWORD@HOST:PORT)");
  }
  EXPECT_EQ(proxy.connections, 1);
}

// Nobody is asked who has no use for it.
TEST(GoogleStorages, RefuseAProxyThatIsNoneWhereItIsUsed) {
  const GoogleStorages google({{"HTTPS_PROXY", "ftp://proxy"}}, now, 1, 1 << 30);
  EXPECT_NO_THROW(google.storages().for_url("/a"));
  try {
    google.storages().for_url("gs://bucket/a");
    FAIL();
  } catch (const Refused& error) {
    EXPECT_STREQ(error.what(),
                 "HTTPS_PROXY: names a ftp:// proxy, which is not supported; write http://HOST:PORT or "
                 "USER:PASSWORD@HOST:PORT");
  }
}

}  // namespace
}  // namespace carrack::data
