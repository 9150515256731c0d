// Reads tensors of a checkpoint: the C++ part of carrack_open_checkpoint() (library/carrack.h). Needs no job, and may
// read while a job trains in the folder. Several threads may use an object at the same time.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dataloader/storage/storages.h"
#include "trainer/checkpoint/folder.h"
#include "trainer/checkpoint/restore.h"
#include "trainer/checkpoint/survey.h"

namespace carrack::train {

struct StoredTensor {
  std::string name;
  std::string type;  // such as "float32"
  checkpoint::Shape shape;
  std::size_t bytes = 0;  // the size of all its values
  bool is_state = false;  // true: state of the optimizer; false: a parameter of the model
};

class StoredTensors {
 public:
  // `checkpoint` is the path or URL of a job's checkpoint folder, whose last commit is used, of the file BEST in it, or
  // of the manifest of a checkpoint. Reads only the list of tensors. Throws Error with Blame::user if the checkpoint
  // does not exist or is damaged, data::Error if the storage fails. `storages` must outlive this.
  StoredTensors(const std::string& checkpoint, const data::Storages& storages);

  // Returns the tensors, sorted by name. Tensors of a type that this release does not know are left out.
  const std::vector<StoredTensor>& all() const { return tensors_; }
  // Reads the values of one of the tensors of all(), in row-major order. `into` must have exactly `tensor.bytes` bytes.
  // Throws Error with Blame::user if the checkpoint is damaged, data::Error if the storage fails.
  void read(const StoredTensor& tensor, std::span<std::byte> into) const;

 private:
  StoredTensors(const checkpoint::CheckpointName& place, const data::Storages& storages);

  std::string url_;  // URL of the manifest
  checkpoint::CheckpointFolder folder_;
  checkpoint::StoredBundle bundle_;
  std::vector<StoredTensor> tensors_;
};

}  // namespace carrack::train
