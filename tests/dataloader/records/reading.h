// What a reader says about a file, as lines that a test compares whole.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "dataloader/records/record_reader.h"
#include "dataloader/records/wire.h"
#include "tests/dataloader/records/memory_source.h"

namespace carrack::data {

using Lines = std::vector<std::string>;

// A line a record, `NUMBER@OFFSET DATA`, or fault.
inline Lines read_all(RecordReader& reader) {
  Lines lines;
  for (;;) {
    const auto next = reader.next();
    if (std::holds_alternative<EndOfFile>(next)) return lines;
    if (const Corrupt* corrupt = std::get_if<Corrupt>(&next)) {
      lines.push_back(text(*corrupt) + "; lost " + std::to_string(corrupt->lost));
    } else {
      const Records& chunk = std::get<Records>(next);
      for (std::size_t i = 0; i < chunk.records.size(); ++i)
        lines.push_back(std::to_string(chunk.first + i) + "@" + std::to_string(chunk.records[i].offset) + " " +
                        std::string(wire::text_of(chunk.records[i].data)));
    }
  }
}

inline Lines read_all(Bytes file, ReadOptions options = {}) {
  const MemorySource source(std::move(file));
  RecordReader reader(source, options);
  return read_all(reader);
}

}  // namespace carrack::data
