#include "trainer/library/stored_tensors.h"

#include "dataloader/storage/url.h"
#include "trainer/error.h"
#include "trainer/launch/state_names.h"

namespace carrack::train {

StoredTensors::StoredTensors(const std::string& checkpoint, const data::Storages& storages)
    : StoredTensors(checkpoint::parse_checkpoint_name(checkpoint), storages) {}

StoredTensors::StoredTensors(const checkpoint::CheckpointName& place, const data::Storages& storages)
    : folder_(storages.for_url(place.folder), place.folder) {
  const checkpoint::Manifest manifest = checkpoint::manifest_of(place, folder_);
  url_ = data::in_folder(place.folder, checkpoint::manifest_name(manifest.cut));
  bundle_ = folder_.open(manifest);
  for (const auto& [name, tensor] : bundle_.bundle.tensors) {
    const auto size = checkpoint::element_size(tensor.dtype), count = checkpoint::element_count(tensor.shape);
    if (!size || !count) continue;  // no release has written such a tensor
    tensors_.push_back(
        {name, checkpoint::name_of(tensor.dtype), tensor.shape, *size * *count, optimizer_of_state(name).has_value()});
  }
}

void StoredTensors::read(const StoredTensor& tensor, std::span<std::byte> into) const {
  const std::int64_t rows = tensor.shape.empty() ? 1 : tensor.shape.front();
  if (const auto corrupt = checkpoint::read_rows(bundle_, tensor.name, {0, rows}, into)) {
    throw Error(Blame::user, url_ + ": " + corrupt->text + "; it is not what Carrack wrote: restore it");
  }
}

}  // namespace carrack::train
