# Every target of ours that compiles C++ shares one of two precompiled headers. The product's has headers of the
# standard library; the tests' also has headers of googletest. No source may rely on them: each includes what it uses.
# Builds without CARRACK_PRECOMPILE (release, fuzz) show a missing include.
set(standard <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <condition_variable> <cstdint> <cstring> <deque>
  <filesystem> <fstream> <functional> <iterator> <map> <memory> <mutex> <numeric> <optional> <set> <span> <sstream> <string>
  <string_view> <thread> <utility> <variant> <vector>)
file(WRITE ${PROJECT_BINARY_DIR}/precompiled/product.cc "")
file(WRITE ${PROJECT_BINARY_DIR}/precompiled/tests.cc "")
foreach(kind product tests)
  add_library(precompiled_${kind} OBJECT ${PROJECT_BINARY_DIR}/precompiled/${kind}.cc)
  target_link_libraries(precompiled_${kind} PRIVATE carrack_warnings)
endforeach()
target_link_libraries(precompiled_tests PRIVATE GTest::gmock)
target_precompile_headers(precompiled_product PRIVATE ${standard})
target_precompile_headers(precompiled_tests PRIVATE ${standard} <gmock/gmock.h> <gtest/gtest.h>)

# share_precompiled_headers(FOLDER): applies to all targets of the folder and of the folders below it.
function(share_precompiled_headers folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(linked ${target} LINK_LIBRARIES)
    get_target_property(options ${target} COMPILE_OPTIONS)
    # An option that defines a macro would need a precompiled header of its own.
    if(NOT type MATCHES "^(STATIC_LIBRARY|EXECUTABLE)$" OR NOT "carrack_warnings" IN_LIST linked OR options MATCHES "math-errno")
      continue()
    endif()
    if("GTest::gmock" IN_LIST linked)
      set_target_properties(${target} PROPERTIES PRECOMPILE_HEADERS_REUSE_FROM precompiled_tests)
    else()
      set_target_properties(${target} PROPERTIES PRECOMPILE_HEADERS_REUSE_FROM precompiled_product)
    endif()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below IN LISTS folders)
    share_precompiled_headers(${below})
  endforeach()
endfunction()
share_precompiled_headers(${PROJECT_SOURCE_DIR})
