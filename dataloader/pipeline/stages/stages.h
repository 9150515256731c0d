// How each stage is opened: of a sequence by its places, as long as those are known; else of a stream as it comes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dataloader/pipeline/stages/plan.h"
#include "dataloader/sources/csv_reader.h"
#include "dataloader/sources/program_stream.h"

namespace carrack::data {

struct Shuffle {
  enum class Kind : std::uint8_t {
    by_place,  // full of what is near, block of what is far: behind a network
    full,      // every order is as likely: each record is read by itself
    block,     // runs of neighbours in a shuffled order, of which some are held: long reads
    buffer,    // as tf.data does it
  };
  Kind kind = Kind::by_place;
  std::uint64_t seed = 0;
  std::uint64_t block = 0;    // rows in a run; 0: as many as have block_bytes
  std::uint64_t window = 16;  // runs of which the rows are held
  std::uint64_t buffer = 10'000;
  bool operator==(const Shuffle&) const = default;

  static constexpr std::uint64_t block_bytes = std::uint64_t{4} << 20;
};
// Lanes that go through parts of an epoch side by side share a window, of at least a run each.
std::uint64_t window_of_lane(const Shuffle& shuffle, std::uint64_t lanes);

// Where records come from.
struct RecordFiles {
  std::vector<std::string> patterns = {};
  // Files take turns, so many at once, so many records of each; 0: one file after the other.
  std::uint64_t cycle = 0, block = 1;
};

// Rows as a function gives them, until it gives nothing.
using Generator = std::function<std::optional<Rows>()>;

Opened open_records(const RecordFiles& files, const OpenContext& context);
// The same of files that are found already, whatever the patterns.
Opened open_indexed(std::vector<IndexedFile> files, const RecordFiles& from, const OpenContext& context);
Opened open_files(const std::vector<std::string>& patterns, const OpenContext& context);
Opened open_sequence(SequencePtr sequence);
Opened open_generator(const std::string& name, const std::function<Generator()>& open);
Opened open_csv(const std::vector<std::string>& patterns, const std::vector<Feature>& features,
                const CsvOptions& options, const OpenContext& context);
Opened open_json_lines(const std::vector<std::string>& patterns, const std::vector<Feature>& features,
                       const OpenContext& context);
Opened open_arrays(const std::vector<std::string>& patterns, const std::string& column, const OpenContext& context);
Opened open_program(const Program& program, const OpenContext& context);

// Two shuffles of one seed are not alike; `before` is how many of them stand before.
Random shuffle_random(std::uint64_t seed, std::uint64_t before);
// What is told while it is read begins with the place.
Opened open_shuffle(Opened from, const OpenContext& context, Shuffle how, const Random& random,
                    const std::string& place = "");
Opened open_shard(Opened from, const OpenContext& context, std::uint64_t count, std::uint64_t index);
Opened open_cut(Opened from, const OpenContext& context, std::uint64_t skip, std::uint64_t take);
Opened open_repeat(Opened from, const OpenContext& context, std::uint64_t times);
Opened open_map(Opened from, const OpenContext& context, const RowsFunction& function);
// The function leaves rows out.
Opened open_filter(Opened from, const OpenContext& context, const RowsFunction& function);
Opened open_batch(Opened from, const OpenContext& context, BatchOptions options);
Opened open_cache(Opened from, const OpenContext& context, std::uint64_t most_bytes, std::string place = "");

Opened open_concatenated(std::vector<Opened> inputs, const OpenContext& context);
Opened open_zipped(std::vector<Opened> inputs, const OpenContext& context);
Opened open_mixed(std::vector<Opened> inputs, const OpenContext& context, const std::vector<double>& weights,
                  const Random& random);
Opened open_interleaved(std::vector<Opened> inputs, const OpenContext& context, std::uint64_t cycle,
                        std::uint64_t block);

}  // namespace carrack::data
