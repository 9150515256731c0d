// `carrack export`: writes the model of a checkpoint as a SavedModel.
#pragma once

#include <cstdint>
#include <string>

#include "dataloader/storage/storages.h"

namespace carrack::train {

struct ExportRequest {
  std::string checkpoint;  // as for read_model()
  std::string folder;      // path or URL
};

// Writes the one file of the model, saved_model.pb in the folder. It appears whole or not at all. Returns its URL.
// Throws Error, with Blame::user, for a checkpoint that cannot be used, if the file exists already, and if the weights
// take more than a quarter of `memory` bytes, as there are up to four copies; data::Error if storage fails.
std::string export_model(const ExportRequest& request, const data::Storages& storages, std::uint64_t memory);

}  // namespace carrack::train
