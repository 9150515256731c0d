#include "dataloader/storage/storages.h"

#include <gtest/gtest.h>

#include "dataloader/error.h"
#include "dataloader/storage/file_storage.h"
#include "dataloader/storage/gcs_storage.h"

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
  settings.gcs_emulator = address;
  return settings;
}

TEST(Storages, GiveTheStorageOfTheScheme) {
  const Storages storages(with_emulator("localhost:4443"));
  EXPECT_NE(dynamic_cast<FileStorage*>(&storages.for_url("/a")), nullptr);
  EXPECT_EQ(&storages.for_url("file:///a"), &storages.for_url("b"));
  EXPECT_NE(dynamic_cast<GcsStorage*>(&storages.for_url("gs://bucket/a")), nullptr);
}

TEST(Storages, RefuseBucketsWithoutAnEmulator) {
  EXPECT_EQ(
      refusal_of({}, "gs://bucket/a"),
      "gs://bucket/a: gs:// works with an emulator only, as there are no credentials for Google Cloud Storage yet; set "
      "STORAGE_EMULATOR_HOST to the emulator's address");
}

TEST(Storages, RefuseSchemesThatNobodyServes) {
  EXPECT_EQ(refusal_of({}, "s3://bucket/a"),
            "s3://bucket/a: there is no storage for s3://; write a path, file:// or gs://");
}

TEST(Storages, TakeTheEmulatorsAddressAsClientsDo) {
  EXPECT_EQ(refusal_of(with_emulator("http://localhost:4443/"), "gs://bucket/a"), "no error");
  EXPECT_EQ(refusal_of(with_emulator("ftp://localhost"), "gs://bucket/a"),
            "ftp://localhost: is no address of an object store; write http://HOST:PORT");
}

}  // namespace
}  // namespace carrack::data
