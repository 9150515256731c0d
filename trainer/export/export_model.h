// `carrack export`: writes the model of a checkpoint as a SavedModel.
#pragma once

#include <cstdint>
#include <string>

#include "dataloader/storage/storages.h"

namespace carrack::train {

struct ExportRequest {
  std::string checkpoint;  // a folder, BEST or a manifest, as for read_model()
  std::string folder;      // a path or URL
};

// Writes the model to saved_model.pb in the folder, and returns its URL. The file appears whole or not at all. Throws
// Error with Blame::user if the checkpoint cannot be used, if the file exists already, or if the weights take more than
// a quarter of `memory` bytes, as up to four copies are in memory at once. Throws data::Error if storage fails.
std::string export_model(const ExportRequest& request, const data::Storages& storages, std::uint64_t memory);

}  // namespace carrack::train
