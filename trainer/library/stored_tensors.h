// The tensors of a checkpoint, for a program that reads them. Several threads may read at the same time.
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
  std::size_t bytes = 0;  // the size of its values
  bool is_state = false;  // state of the optimizer, not a parameter
};

class StoredTensors {
 public:
  // Reads the index of `checkpoint`: a folder, whose last commit is read, its BEST, or a manifest. Throws Error with
  // Blame::user if it does not exist or is damaged, data::Error if the storage fails. `storages` must outlive this.
  StoredTensors(const std::string& checkpoint, const data::Storages& storages);

  // Returns the tensors, sorted by name.
  const std::vector<StoredTensor>& all() const { return tensors_; }
  // Reads one of the tensors of all(). `into` must have `tensor.bytes` bytes. Throws Error with Blame::user if the
  // checkpoint is damaged, data::Error if the storage fails.
  void read(const StoredTensor& tensor, std::span<std::byte> into) const;

 private:
  StoredTensors(const checkpoint::Named& place, const data::Storages& storages);

  std::string url_;  // URL of the manifest
  checkpoint::CheckpointFolder folder_;
  checkpoint::StoredBundle bundle_;
  std::vector<StoredTensor> tensors_;
};

}  // namespace carrack::train
