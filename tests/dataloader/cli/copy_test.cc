#include "dataloader/cli/copy.h"

#include <gtest/gtest.h>

#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "dataloader/error.h"
#include "dataloader/storage/storages.h"
#include "tests/dataloader/records/files.h"
#include "tests/dataloader/storage/temporary_folder.h"

namespace carrack::data::cli {
namespace {

void write(const std::string& name, const Bytes& bytes) {
  std::ofstream(name, std::ios::binary) << wire::text_of(bytes);
}

TEST(CopyRecords, DoesNotLeaveOutAFileThatHasChanged) {
  const TemporaryFolder folder;
  const Storages storages{StorageSettings{}};
  const std::string good = folder.path() + "/good.tfrecord", changed = folder.path() + "/changed.tfrecord";
  write(good, file_of({"one"}));
  write(changed, file_of({"two", "three"}));
  std::vector<Listed> files;
  for (const std::string& name : {good, changed}) files.push_back({name, storages.for_url(name).stat(name).value()});
  write(changed, file_of({"two", "three", "four"}));
  for (const OnDamage on_damage : {OnDamage::stop, OnDamage::skip}) {
    const Request request{.command = Command::convert, .on_damage = on_damage};
    Progress progress(0, false);
    std::string error;
    try {
      copy_records(request, storages, files, progress, [](std::span<const std::byte>) {});
    } catch (const Error& caught) {
      error = caught.what();
    }
    EXPECT_EQ(error, changed + ": record 0 at byte 0: the file has changed since it was opened; 40 bytes lost");
  }
}

}  // namespace
}  // namespace carrack::data::cli
