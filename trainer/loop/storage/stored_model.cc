#include "trainer/loop/storage/stored_model.h"

#include <optional>
#include <span>
#include <utility>

#include "trainer/checkpoint/folder.h"
#include "trainer/checkpoint/restore.h"
#include "trainer/checkpoint/survey.h"
#include "trainer/error.h"
#include "trainer/launch/launch.h"
#include "trainer/models/model.h"

namespace carrack::train {
namespace {

checkpoint::Manifest manifest_at(const checkpoint::Named& place, checkpoint::CheckpointFolder& folder) {
  if (place.manifest) return folder.manifest_named(*place.manifest);
  const std::optional<checkpoint::Head> head = folder.head();
  if (!head) throw Error(Blame::user, place.folder + ": holds no HEAD; name the checkpoint folder of a job");
  if (!head->committed) throw Error(Blame::user, place.folder + ": holds no checkpoint yet");
  return folder.manifest(*head->committed);
}

Floats read_parameters(const checkpoint::StoredBundle& bundle, const Layout& layout, const std::string& url) {
  Floats parameters(static_cast<std::size_t>(layout.size()));
  for (const Placed& tensor : layout.tensors()) {
    const std::int64_t rows = tensor.shape.empty() ? 1 : tensor.shape.front();
    const auto values =
        std::span(parameters)
            .subspan(static_cast<std::size_t>(tensor.range.begin), static_cast<std::size_t>(tensor.range.size()));
    if (const auto corrupt = checkpoint::read_rows(bundle, tensor.name, {0, rows}, std::as_writable_bytes(values))) {
      throw Error(Blame::user, url + ": " + corrupt->text + "; it is not what Carrack wrote: restore it");
    }
  }
  return parameters;
}

}  // namespace

std::string config_for_checkpoint(Config config) {
  const Config standard;
  config.strategy = standard.strategy;
  config.ps = standard.ps;
  config.workers = standard.workers;
  config.checkpoint = standard.checkpoint;
  config.data.files.clear();
  config.data.mix.clear();
  config.data.stages = standard.data.stages;
  return to_config_text(config);
}

StoredModel read_model(const std::string& checkpoint, const data::Storages& storages) {
  const checkpoint::Named place = checkpoint::named(checkpoint);
  checkpoint::CheckpointFolder folder(storages.for_url(place.folder), place.folder);
  StoredModel model;
  model.manifest = manifest_at(place, folder);
  model.url = place.folder + (place.folder.ends_with('/') ? "" : "/") + checkpoint::manifest_name(model.manifest.cut);
  if (model.manifest.config.empty()) {
    throw Error(Blame::user, model.url +
                                 ": does not say what its model is, as an earlier release wrote it; let the job go "
                                 "on with this release until it has committed once more");
  }
  model.config = parse_config_text(model.manifest.config);
  const Layout layout = layout_of(model_graph(model.config.model, model.config.data));
  model.parameters = read_parameters(folder.open(model.manifest), layout, model.url);
  return model;
}

}  // namespace carrack::train
