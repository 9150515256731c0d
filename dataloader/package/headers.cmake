# Run by `cmake --install`: writes the public headers to `include/carrack` of the prefix. `source` is the root of the
# repository, `include` the include folder of the prefix.
#
# A public header consists of the headers of the repository in its list and of all headers that these include. If an
# earlier public header already contains one of them, the public header includes that public header. So users find only
# these headers, and the files of the repository can be rearranged freely.
cmake_minimum_required(VERSION 3.25)

# Each header uses only earlier ones. README.md is the guide to them.
set(public error limits storage features rows examples records sources images text dataset reading)
set(error dataloader/error.h)
set(limits dataloader/machine/limits.h)
set(storage dataloader/storage/storage.h dataloader/storage/storages.h dataloader/credentials/google_storages.h)
set(features dataloader/records/example.h)
set(rows dataloader/pipeline/rows/rows.h)
set(examples dataloader/records/example_parser.h dataloader/records/example_writer.h)
set(records dataloader/records/record_reader.h dataloader/records/record_writer.h)
set(sources dataloader/sources/csv_reader.h dataloader/sources/generated_records.h
  dataloader/sources/json_lines_reader.h dataloader/sources/npy.h dataloader/sources/program_stream.h)
set(images dataloader/pipeline/rows/image_function.h)
set(text dataloader/pipeline/rows/text_function.h)
set(dataset dataloader/pipeline/dataset.h)
set(reading dataloader/pipeline/reading.h)

# Appends `header` to `body`, after the headers that it includes, and sets `home_<header>` to the public header that
# contains it. Appends other public headers that are needed to `uses`. All of these are variables of the caller.
macro(add_header header)
  if(DEFINED "home_${header}")
    if(NOT "${home_${header}}" STREQUAL "${name}" AND NOT "${home_${header}}" IN_LIST uses)
      list(APPEND uses "${home_${header}}")
    endif()
  else()
    set("home_${header}" "${name}")
    file(STRINGS "${source}/${header}" "includes_${header}" REGEX "^#include \"")
    foreach(line IN LISTS "includes_${header}")
      string(REGEX REPLACE "^#include \"(.*)\".*" "\\1" included "${line}")
      add_header("${included}")
    endforeach()
    file(READ "${source}/${header}" content)
    string(REGEX REPLACE "#pragma once\n|#include \"[^\n]*\n" "" content "${content}")
    string(APPEND body "\n// From ${header}:\n//\n${content}")
  endif()
endmacro()

foreach(name IN LISTS public)
  set(body)
  set(uses)
  foreach(header IN LISTS ${name})
    add_header(${header})
  endforeach()
  set(first)
  foreach(used IN LISTS uses)
    string(APPEND first "\n#include <carrack/${used}.h>")
  endforeach()
  set(file "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${include}/carrack/${name}.h")
  message(STATUS "Installing: ${file}")
  file(WRITE "${file}" "// Made of the headers named below, by dataloader/package/headers.cmake.\n#pragma once\n${first}\n${body}")
endforeach()
