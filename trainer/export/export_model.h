// `carrack export`: writes the model of a checkpoint as a SavedModel.
#pragma once

#include <cstdint>
#include <string>

#include "dataloader/storage/storages.h"

namespace carrack::train {

struct ExportRequest {
  std::string checkpoint;  // the folder of a job, its BEST or a manifest, as for read_model() (stored_model.h)
  std::string folder;      // a path or URL of the folder to write to
};

// Writes the model to saved_model.pb in the folder, and returns its URL. The file appears completely or not at all.
// Throws Error with Blame::user if the checkpoint cannot be used, if the file exists already, or if the model cannot be
// exported: it is of kind Own, has more than 2 GB, or its weights take more than a quarter of `memory` bytes, because
// up to four copies are in memory at the same time. Throws data::Error if storage fails.
std::string export_model(const ExportRequest& request, const data::Storages& storages, std::uint64_t memory);

}  // namespace carrack::train
