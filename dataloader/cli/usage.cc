#include "dataloader/cli/usage.h"

#include <array>
#include <cstddef>

namespace carrack::data::cli {
namespace {

constexpr std::string_view command_list = R"(usage: carrack data COMMAND FILES... [options]

Reports what is in files of records, checks them, and converts other files to records. FILES are paths, file:// or gs://
URLs, or patterns with `*`, `?` and `**`.

  inspect   prints what the files are, which features their records hold, and the lines for a manifest
  head      prints the first records as JSON
  stats     prints statistics of each feature: range, mean, quantiles, different values, problems
  verify    reads everything and prints each damaged place
  index     writes where each record begins, so that any record can be read at once
  convert   writes records with another compression, in other shards, or as JSON lines; also reads CSV, JSON lines,
            numpy arrays and programs
  bench     measures how fast the files can be read, parsed and shuffled, and says what would help
  explain   explains how a pipeline would read the files: stages, resuming, requests, threads, memory

`carrack data COMMAND --help` lists its options.
)";

constexpr std::string_view inspect_usage = R"(usage: carrack data inspect FILES... [options]

Prints what the files are, which features their records hold, and the lines for a manifest. Reads the first records of
each file.

  -n, --records N   how many records to read, spread over the files (default: 1000, and at most 64 MB)
  --all             reads every record
  --json            prints one JSON object
  --threads N       how many files are read at once (default: one for each CPU)
  --help            prints this
)";

constexpr std::string_view head_usage = R"(usage: carrack data head FILES... [options]

Prints the first records of the files as JSON. Long lists and bytes are cut.

  -n, --records N   how many records, of all files together (default: 5)
  --json            prints each record on one line and cuts nothing
  --on-damage HOW   stop: ends at the first damaged place; skip: names it and continues after it (default)
  --help            prints this
)";

constexpr std::string_view verify_usage = R"(usage: carrack data verify FILES... [options]

Reads everything, checks all checksums and prints each damaged place. The exit code is 0 if nothing is damaged, else 1.

  --json            prints one JSON object
  --threads N       how many files are read at once (default: one for each CPU)
  --help            prints this
)";

constexpr std::string_view index_usage = R"(usage: carrack data index FILES... [options]

Writes where each record begins to NAME.index next to the file NAME, unless an index is there that fits.

  --out FOLDER      writes to this folder, a path or a URL
  --text            writes NAME.idx, as tfrecord2idx does
  --check           writes nothing; prints which indexes are missing or do not fit, and exits with 1 if there are any
  --threads N       how many files are read at once (default: one for each CPU)
  --help            prints this
)";

constexpr std::string_view stats_usage = R"(usage: carrack data stats FILES... [options]

Reads every record and prints for each feature: range, mean, quantiles, different values, how often it is absent, and
what may trouble a training.

  --feature NAME    prints only this feature; NAME[2] is the third value of it in each record
  --json            prints one JSON object
  --threads N       how many files are read at once (default: one for each CPU)
  --help            prints this
)";

constexpr std::string_view convert_usage = R"(usage: carrack data convert FILES... --to OUT [options]

Writes the records of the files, in their order, to OUT: TFRecords, or JSON lines if OUT ends in .jsonl or .ndjson. Each
file appears complete or not at all. Rows of .csv, .tsv, .jsonl and .ndjson, all also with .gz, and of .npy and .npz
become tf.Examples. 'exec:PROGRAM ARGUMENT...', if it is the only input, runs a program that prints TFRecords.

  --to OUT             a path or a URL
  --compression NAME   NONE, GZIP or ZLIB (default: GZIP if OUT ends in .gz, ZLIB if in .zlib, else NONE)
  --shards N           writes N files, x-00000-of-0000N.tfrecord and so on for x.tfrecord
  --shard-size SIZE    the same, of about this size before compression: 150MB
  --types NAME=TYPE,.. types of columns: bytes, float32 or int64 (default: inferred from the first 10,000 rows)
  --missing TEXT,..    texts or numbers that stand for no value, such as NA; an empty field does anyway
  --fill NAME=VALUE,.. what columns of one value get in rows where it is missing: a number, a text without commas,
                       mean or median; also spelled --default
  --join X=A,B,..      columns A, B, .. become one feature X of float32, or int64 with --types X=int64; A..B are all
                       from A to B
  --delimiter C        the separator of CSV fields (default: a comma; a tab in .tsv)
  --threads N          how many threads convert (default: one for each CPU)
  --on-damage HOW      stop: damage ends the conversion (default); skip: leaves out what is damaged, prints how much
  --max-skipped N      writes nothing and fails if more than N rows are left out, or more than a share: 1%
  --force              replaces existing files
  --help               prints this
)";

constexpr std::string_view bench_usage = R"(usage: carrack data bench FILES... [options]

Measures how fast this machine reads the files: as records, parsed, and shuffled. Prints what each stage took, which one
is the bottleneck, and what would help. FILES are TFRecords, CSV, JSON lines, npy, npz or 'exec:PROGRAM ARGUMENT...'.

  --seconds N          total time (default: 9)
  --batch N            rows in a batch (default: 1024)
  --timeline FILE      writes what each thread did when, for chrome://tracing and Perfetto
  --json               prints one JSON object
  --types NAME=TYPE,.. types of columns of text: bytes, float32 or int64
  --missing TEXT,..    texts or numbers that stand for no value, such as NA; an empty field does anyway
  --fill NAME=VALUE,.. what columns of one value get in rows where it is missing: a number, a text without commas,
                       mean or median; also spelled --default
  --join X=A,B,..      columns that become one feature, as for convert
  --delimiter C        the separator of CSV fields
  --threads N          CPUs to plan for (default: those of this process)
  --on-damage HOW      stop: ends at the first damaged place; skip: leaves out what is damaged and says so (default)
  --help               prints this
)";

constexpr std::string_view explain_usage = R"(usage: carrack data explain FILES... [options]

Explains how a pipeline would read the files: what each stage gives and how exactly it resumes, how many requests a
batch takes, how many threads and how much memory it would have. Reads or builds indexes, and reads no rows.

  --shuffle HOW        full, block or buffer=N
  --parse              parses all features; reads the first 1,000 records to find them
  --batch N            rows in a batch (default: 1024)
  --types NAME=TYPE,.. types of columns of text: bytes, float32 or int64
  --missing TEXT,..    texts or numbers that stand for no value, such as NA; an empty field does anyway
  --fill NAME=VALUE,.. what columns of one value get in rows where it is missing: a number, a text without commas,
                       mean or median; also spelled --default
  --join X=A,B,..      columns that become one feature, as for convert
  --delimiter C        the separator of CSV fields
  --threads N          CPUs to plan for (default: those of this process)
  --help               prints this
)";

// The usage of all commands. A value of the enum Command is an index into this array, so their orders must agree.
constexpr std::array usages = {inspect_usage, head_usage,    verify_usage, index_usage,
                               stats_usage,   convert_usage, bench_usage,  explain_usage};
static_assert(usages.size() == command_count);

}  // namespace

std::string_view usage() {
  return command_list;
}

std::string_view usage(Command command) {
  return usages[static_cast<std::size_t>(command)];
}

}  // namespace carrack::data::cli
