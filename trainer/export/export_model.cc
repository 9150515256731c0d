#include "trainer/export/export_model.h"

#include <span>

#include "dataloader/storage/url.h"
#include "trainer/error.h"
#include "trainer/export/saved_model.h"
#include "trainer/loop/storage/stored_model.h"

namespace carrack::train {

std::string export_model(const ExportRequest& request, const data::Storages& storages, std::uint64_t memory) {
  const std::string url = data::in_folder(request.folder, "saved_model.pb");
  const std::string exists = url + ": exists already; export to another folder";
  data::Storage& storage = storages.for_url(url);
  if (storage.stat(url)) throw Error(Blame::user, exists);
  const StoredModel model = read_model(request.checkpoint, storages, memory / 4);
  const std::string bytes = bytes_of(saved_model_of(model.config, model.parameters));
  const auto file = storage.create(url, {.must_not_exist = true});
  file->write(std::as_bytes(std::span(bytes)));
  if (!file->commit()) throw Error(Blame::user, exists);
  return url;
}

}  // namespace carrack::train
