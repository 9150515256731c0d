#include "trainer/loop/storage/stored_model.h"

#include <optional>
#include <span>
#include <utility>

#include "dataloader/storage/url.h"
#include "dataloader/text.h"
#include "trainer/checkpoint/folder.h"
#include "trainer/checkpoint/restore.h"
#include "trainer/checkpoint/survey.h"
#include "trainer/error.h"
#include "trainer/launch/launch.h"
#include "trainer/loop/storage/stored_tensor.h"
#include "trainer/models/model.h"

namespace carrack::train {
namespace {

// Returns the configuration that the manifest stores. Throws Error with Blame::user if this release cannot read it.
Config config_in(const checkpoint::Manifest& manifest, const std::string& url) {
  if (manifest.config.empty()) {
    throw Error(Blame::user, url +
                                 ": does not say what its model is, as an earlier release wrote it; let the job go on "
                                 "with this release until it has committed once more");
  }
  try {
    return parse_config_text(manifest.config);
  } catch (const Error&) {
    throw Error(Blame::user, url +
                                 ": describes its model in a way that this release does not read; use the release "
                                 "that trained it, or a later one");
  }
}

Layout layout_in(const Config& config, const std::string& url) {
  try {
    return layout_of(model_graph(config.model, config.data));
  } catch (const Error& error) {
    throw Error(Blame::user, url + ": " + error.what());
  }
}

// Throws unless the checkpoint has each tensor of its model. read_model() checks that before it allocates memory for
// the parameters.
void require_tensors(const checkpoint::Bundle& bundle, const Layout& layout, const std::string& url) {
  for (const PlacedTensor& tensor : layout.tensors()) {
    if (const auto held = tensor_mismatch(bundle, tensor.name, tensor.shape)) {
      throw Error(Blame::user, url + ": holds " + *held + ", and its model has " + tensor.name + " as " +
                                   tensor_text(checkpoint::DType::float32, tensor.shape));
    }
  }
}

void require_fits(const Layout& layout, std::uint64_t memory, const std::string& url) {
  const std::uint64_t bytes = static_cast<std::uint64_t>(layout.size()) * sizeof(float);
  if (bytes <= memory) return;
  throw Error(Blame::user, url + ": has " + data::format_bytes(bytes) + " of parameters, and this process may use " +
                               data::format_bytes(memory));
}

Floats read_parameters(const checkpoint::StoredBundle& bundle, const Layout& layout, const std::string& url,
                       const std::function<void()>& check_cancelled) {
  Floats parameters(static_cast<std::size_t>(layout.size()));
  for (const PlacedTensor& tensor : layout.tensors()) {
    check_cancelled();
    const auto values =
        std::span(parameters)
            .subspan(static_cast<std::size_t>(tensor.range.begin), static_cast<std::size_t>(tensor.range.size()));
    if (const auto corrupt =
            checkpoint::read_rows(bundle, tensor.name, {0, tensor.rows}, std::as_writable_bytes(values))) {
      throw Error(Blame::user, url + ": " + corrupt->text + "; it is not what Carrack wrote: restore it");
    }
  }
  return parameters;
}

}  // namespace

std::string config_for_checkpoint(const Config& config) {
  Config kept;
  kept.model = config.model;
  kept.data.features = config.data.features;
  kept.training = config.training;
  kept.training.initial_weights.reset();
  return to_config_text(kept);
}

StoredModel read_model(const std::string& checkpoint, const data::Storages& storages, std::uint64_t memory,
                       const std::function<void()>& check_cancelled) {
  const checkpoint::CheckpointName place = checkpoint::parse_checkpoint_name(checkpoint);
  checkpoint::CheckpointFolder folder(storages.for_url(place.folder), place.folder);
  StoredModel model;
  model.manifest = checkpoint::manifest_of(place, folder);
  model.url = data::in_folder(place.folder, checkpoint::manifest_name(model.manifest.cut));
  model.config = config_in(model.manifest, model.url);
  const Layout layout = layout_in(model.config, model.url);
  const checkpoint::StoredBundle bundle = folder.open(model.manifest);
  require_tensors(bundle.bundle, layout, model.url);
  require_fits(layout, memory, model.url);
  model.parameters = read_parameters(bundle, layout, model.url, check_cancelled);
  return model;
}

}  // namespace carrack::train
