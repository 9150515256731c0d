// The stages of Dataset that are sources and need no parsing: records of TFRecord files, names of files, rows in
// memory, and rows of a function.
//
// A stage is one step of a pipeline. All structs in the *_stage.h and *_stages.h files of this folder are stages. The
// data members of a stage are its options. It also has:
//   kind           its name in canonical and other texts
//   canonical()    kind and options as an identity, see canonical.h
//   description()  its options for users. If you reword one, add the old words to legacy_identity.cc: they identify
//                  states and snapshots of format version 1. Otherwise the golden test of identities fails.
//   open()         opens the stage. Throws an Error for options that make no sense. All stages take the context. A
//                  stage of one input also takes its Opened, and a stage of several inputs a vector of them; a stage
//                  that opens its input itself takes the Plan of the input.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dataloader/pipeline/stages/canonical.h"
#include "dataloader/pipeline/stages/opened.h"
#include "dataloader/pipeline/stages/options.h"
#include "dataloader/pipeline/stages/words.h"

namespace carrack::data {

// Opens the records of files that are indexed already, in a column "record", as a sequence. Files are read one after
// the other in the order of `files`, or in turns as order.cycle and order.block say; order.patterns is not used.
Opened open_indexed(std::vector<IndexedFile> files, const RecordFiles& order, const OpenContext& context);

namespace stages {

// The records of TFRecord files, in a column "record", as a sequence. open() lists the files and builds the indexes
// that are missing, which reads these files. It throws an Error if a pattern matches no file.
struct Records {
  RecordFiles files;

  static constexpr const char* kind = "records";
  std::string canonical() const;
  std::string description() const;
  Opened open(const OpenContext& context) const;
};

// The URLs of the files that match, in a column "file". The files are listed, not read.
struct FileNames {
  std::vector<std::string> patterns;

  static constexpr const char* kind = "files";
  std::string canonical() const { return CanonicalStage(kind).add("file", patterns).text(); }
  std::string description() const { return join(patterns); }
  Opened open(const OpenContext& context) const;
};

// Rows in memory, as a sequence.
struct MemoryRows {
  // Throws an Error unless each column has one item or list for each row.
  explicit MemoryRows(Rows rows);

  Sequence rows;
  std::uint32_t checksum = 0;  // CRC-32C of the rows as bytes

  static constexpr const char* kind = "rows";
  std::string canonical() const;
  std::string description() const;
  Opened open(const OpenContext& context) const;
};

// Rows that a function makes, as a stream.
struct Generate {
  std::string name;                      // identifies the function, even in saved states and snapshots
  std::function<Generator()> generator;  // called once for each epoch; returns that epoch's rows

  static constexpr const char* kind = "generate";
  std::string canonical() const { return CanonicalStage(kind).add("name", name).text(); }
  std::string description() const { return name; }
  Opened open(const OpenContext& context) const;
};

}  // namespace stages
}  // namespace carrack::data
