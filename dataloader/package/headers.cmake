# Run by `cmake --install`: puts the headers that users include, and all that those include, under `include` of the
# prefix. `source` is the root of the repository.
cmake_minimum_required(VERSION 3.25)
set(headers
  dataloader/credentials/google_storages.h
  dataloader/error.h
  dataloader/machine/limits.h
  dataloader/pipeline/dataset.h
  dataloader/pipeline/rows/image_function.h
  dataloader/pipeline/reading.h
  dataloader/records/example_parser.h
  dataloader/records/example_writer.h
  dataloader/records/record_reader.h
  dataloader/records/record_writer.h
  dataloader/sources/csv_reader.h
  dataloader/sources/generated_records.h
  dataloader/sources/json_lines_reader.h
  dataloader/sources/npy.h
  dataloader/sources/program_stream.h
  dataloader/storage/storages.h)

set(left ${headers})
while(left)
  list(POP_FRONT left header)
  cmake_path(GET header PARENT_PATH folder)
  file(INSTALL ${source}/${header} DESTINATION ${CMAKE_INSTALL_PREFIX}/${include}/${folder})
  file(STRINGS ${source}/${header} lines REGEX "^#include \"dataloader/")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^#include \"(.*)\".*" "\\1" included "${line}")
    if(NOT included IN_LIST headers)
      list(APPEND headers ${included})
      list(APPEND left ${included})
    endif()
  endforeach()
endwhile()
