// ProgramRecords: the stage of Dataset::program(), a source of TFRecords that a program writes to its standard output.
// record_stages.h explains the members that all stages have.
#pragma once

#include <string>

#include "dataloader/pipeline/stages/canonical.h"
#include "dataloader/pipeline/stages/opened.h"
#include "dataloader/sources/program_stream.h"

namespace carrack::data::stages {

// A column "record" of the TFRecords that the program writes. The program is started when its first record is
// requested, and again for each epoch. To restore a saved state, it is started again and the records that were read
// before are skipped. Reading then throws an Error if it writes fewer records than that.
struct ProgramRecords {
  Program program;

  static constexpr const char* kind = "program";
  // Does not contain the program's environment, which may have secrets.
  std::string canonical() const { return CanonicalStage(kind).add("argument", program.arguments).text(); }
  std::string description() const { return name_of(program); }
  Opened open(const OpenContext& context) const;
};

}  // namespace carrack::data::stages
