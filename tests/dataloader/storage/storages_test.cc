#include "dataloader/storage/storages.h"

#include <gtest/gtest.h>

#include "dataloader/error.h"
#include "dataloader/storage/file/file_storage.h"
#include "dataloader/storage/gcs/gcs_storage.h"

namespace carrack::data {
namespace {

std::string refusal_of(const StorageSettings& settings, const std::string& url) {
  try {
    Storages(settings).for_url(url);
  } catch (const Refused& error) {
    return error.what();
  }
  return "no error";
}

StorageSettings with_emulator(const std::string& address) {
  StorageSettings settings;
  settings.gcs.emulator = address;
  return settings;
}

TEST(Storages, GiveTheStorageOfTheScheme) {
  const Storages storages(with_emulator("localhost:4443"));
  EXPECT_NE(dynamic_cast<FileStorage*>(&storages.for_url("/a")), nullptr);
  EXPECT_EQ(&storages.for_url("file:///a"), &storages.for_url("b"));
  EXPECT_NE(dynamic_cast<GcsStorage*>(&storages.for_url("gs://bucket/a")), nullptr);
}

TEST(Storages, SayWhetherAUrlIsRemote) {
  const Storages storages(with_emulator("localhost:4443"));
  EXPECT_FALSE(storages.is_remote("/a"));
  EXPECT_FALSE(storages.is_remote("file:///a"));
  EXPECT_TRUE(storages.is_remote("gs://bucket/a"));
}

TEST(Storages, CallWhatNothingMatchesByItsName) {
  const Storages storages(with_emulator("localhost:4443"));
  EXPECT_EQ(no_match_text(storages.for_url("a/*"), "a/*"), "no file matches a/*");
  EXPECT_EQ(no_match_text(storages.for_url("gs://b/*"), "gs://b/*"), "no object matches gs://b/*");
}

TEST(Storages, SendTokensWhereNobodyReadsThem) {
  const auto refusal_of_endpoint = [](const std::string& endpoint) {
    StorageSettings settings;
    settings.gcs.endpoint = endpoint;
    return refusal_of(settings, "gs://bucket/a");
  };
  EXPECT_EQ(refusal_of_endpoint(""), "no error");
  EXPECT_EQ(refusal_of_endpoint("https://storage-mine.p.googleapis.com/storage/v1/"), "no error");
  EXPECT_EQ(refusal_of_endpoint("http://localhost:8080"), "no error");
  EXPECT_EQ(refusal_of_endpoint("http://10.0.0.1"),
            "CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE: is http://10.0.0.1; tokens are sent to https://HOST alone, or to "
            "this machine");
  EXPECT_EQ(refusal_of_endpoint("storage.example.com"),
            "CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE: is storage.example.com, which is not an address; write "
            "https://HOST or https://HOST:PORT");
}

TEST(Storages, NeedNoAddressOfAServiceThatIsNotAskedFor) {
  StorageSettings settings;
  settings.gcs.endpoint = "nowhere";
  EXPECT_EQ(refusal_of(settings, "/a"), "no error");
  EXPECT_EQ(refusal_of(with_emulator("ftp://nowhere"), "file:///a"), "no error");
}

TEST(Storages, GiveAnEmulatorNoToken) {
  StorageSettings settings = with_emulator("http://127.0.0.1:1");
  settings.retries.tries = 1;
  settings.gcs.token = [](const std::string&) -> std::string { throw Error("asked for a token"); };
  const Storages storages(settings);
  try {
    storages.for_url("gs://bucket/a").stat("gs://bucket/a");
    FAIL() << "nobody listens there";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "gs://bucket/a: gave up after 1 tries, the last one: no answer from http://127.0.0.1:1 (cannot "
                 "connect: Connection refused)");
  }
}

TEST(Storages, RefuseSchemesThatNobodyServes) {
  EXPECT_EQ(refusal_of({}, "s3://bucket/a"),
            "s3://bucket/a: there is no storage for s3://; write a path, file:// or gs://");
}

TEST(Storages, TakeTheEmulatorsAddressAsClientsDo) {
  EXPECT_EQ(refusal_of(with_emulator("http://localhost:4443/"), "gs://bucket/a"), "no error");
  EXPECT_EQ(refusal_of(with_emulator("ftp://localhost"), "gs://bucket/a"),
            "STORAGE_EMULATOR_HOST: is ftp://localhost, which is not an address; write HOST:PORT or http://HOST:PORT");
}

}  // namespace
}  // namespace carrack::data
