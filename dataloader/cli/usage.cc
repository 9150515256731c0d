#include "dataloader/cli/usage.h"

#include <array>
#include <cstddef>

namespace carrack::data::cli {
namespace {

constexpr std::string_view command_list = R"(usage: carrack data COMMAND FILES... [options]

Says what is in files of records, checks them and converts to them. FILES are paths, file:// or gs:// URLs; `*`, `?` and
`**` stand for names.

  inspect   what the files are, which features their records hold, and what a manifest says of them
  head      the first records, as JSON
  stats     each feature over all records: range, mean, quantiles, different values, problems
  verify    reads everything and names each damaged place
  index     writes where each record begins, so that any is read at once
  convert   other compression, other shards, JSON lines; from CSV, JSON lines, numpy's arrays and programs too
  bench     how fast they can be read, parsed and shuffled here, and what would help
  explain   how a pipeline would read them: each stage, how it goes on, requests, threads, memory

`carrack data COMMAND --help` lists its options.
)";

constexpr std::string_view inspect_usage = R"(usage: carrack data inspect FILES... [options]

Says what the files are, which features their records hold, and what a manifest says of them. Looks at the first records
of each file.

  -n, --records N   how many records are looked at, spread over the files (default: 1000, and at most 64 MB)
  --all             looks at every record
  --json            prints one JSON object
  --threads N       how many files are read at once (default: one for each CPU)
  --help            prints this
)";

constexpr std::string_view head_usage = R"(usage: carrack data head FILES... [options]

Prints the first records of the files as JSON; long lists and bytes are cut.

  -n, --records N   how many, of all files together (default: 5)
  --json            prints each on one line, with nothing cut
  --help            prints this
)";

constexpr std::string_view verify_usage = R"(usage: carrack data verify FILES... [options]

Reads everything, checks all checksums and names each damaged place. The exit code is 0 where nothing is damaged, else 1.

  --json            prints one JSON object
  --threads N       how many files are read at once (default: one for each CPU)
  --help            prints this
)";

constexpr std::string_view index_usage = R"(usage: carrack data index FILES... [options]

Writes where each record begins into NAME.index, beside the file NAME, unless one is there that fits.

  --out FOLDER      writes into this folder, a path or a URL
  --text            writes NAME.idx, as tfrecord2idx does
  --check           writes nothing, says which indexes are missing or do not fit; the exit code is 1 if there are any
  --threads N       how many files are read at once (default: one for each CPU)
  --help            prints this
)";

constexpr std::string_view stats_usage = R"(usage: carrack data stats FILES... [options]

Reads every record and says of each feature: range, mean, quantiles, different values, how often it is absent, and what
would trouble a training.

  --json            prints one JSON object
  --threads N       how many files are read at once (default: one for each CPU)
  --help            prints this
)";

constexpr std::string_view convert_usage = R"(usage: carrack data convert FILES... --to OUT [options]

Writes the records of the files, in their order, to OUT: TFRecords, or JSON lines if OUT ends in .jsonl or .ndjson. Each
file appears whole or not at all. Rows of .csv, .tsv, .jsonl and .ndjson, which may end in .gz, and of .npy and .npz
become tf.Examples; of a program, 'exec:PROGRAM ARGUMENT...', come the TFRecords that it prints.

  --to OUT             a path or a URL
  --compression NAME   NONE, GZIP or ZLIB (default: GZIP if OUT ends in .gz, ZLIB if in .zlib, else NONE)
  --shards N           writes N files, x-00000-of-0000N.tfrecord and so on for x.tfrecord
  --shard-size SIZE    the same, of about this size before compression: 150MB
  --types NAME=TYPE,.. what columns hold: bytes, float32 or int64 (default: what the first 10,000 rows look like)
  --join X=A,B,..      columns A, B, .. become one feature X of float32, or int64 with --types X=int64; A..B are all
                       from A to B
  --delimiter C        what separates the fields of CSV (default: a comma; a tab in .tsv)
  --threads N          how many write at once (default: one for each CPU)
  --skip-corrupt       leaves out what is damaged, and says how much; else that ends the conversion
  --force              replaces what is there
  --help               prints this
)";

constexpr std::string_view bench_usage = R"(usage: carrack data bench FILES... [options]

Measures how fast the files are read here: as records, parsed, and shuffled. Says what each stage took, which part is the
narrowest, and what would help. FILES are TFRecords, CSV, JSON lines, npy, npz or 'exec:PROGRAM ARGUMENT...'.

  --seconds N          how long it measures in all (default: 9)
  --batch N            rows of a batch (default: 1024)
  --timeline FILE      writes what threads did when, for chrome://tracing and Perfetto
  --json               prints one JSON object
  --types NAME=TYPE,.. what columns of text hold: bytes, float32 or int64
  --join X=A,B,..      columns that become one feature, as of convert
  --delimiter C        what separates the fields of CSV
  --threads N          CPUs to count on (default: those of this process)
  --help               prints this
)";

constexpr std::string_view explain_usage = R"(usage: carrack data explain FILES... [options]

Says how a pipeline would read the files: what each stage gives and how exactly it goes on, how many requests a batch
takes, how many threads and how much memory it would have. Reads indexes, or what they are made of, and no more.

  --shuffle HOW        full, block or buffer=N
  --parse              parses all features; looks at the first 1,000 records for them
  --batch N            rows of a batch (default: 1024)
  --types NAME=TYPE,.. what columns of text hold: bytes, float32 or int64
  --join X=A,B,..      columns that become one feature, as of convert
  --delimiter C        what separates the fields of CSV
  --threads N          CPUs to count on (default: those of this process)
  --help               prints this
)";

// In the order of Command.
constexpr std::array usages = {inspect_usage, head_usage,    verify_usage, index_usage,
                               stats_usage,   convert_usage, bench_usage,  explain_usage};

}  // namespace

std::string_view usage() {
  return command_list;
}

std::string_view usage(Command command) {
  return usages[static_cast<std::size_t>(command)];
}

}  // namespace carrack::data::cli
