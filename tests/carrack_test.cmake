# How every test is registered. A test that exits with 77 was skipped, and printed why.
include(GoogleTest)

# Tests of a higher cost begin earlier. Those on the cluster begin first, because they run one after the other. Other
# tests run next to them, as they wait for much of their time.
set(cost_of_cluster 1000)

# carrack_cc_test(NAME name LABEL label SOURCES file... [LIBRARIES target...] [NEEDS_CLUSTER] [SERIAL])
# Registers a googletest program; each of its cases is a ctest test `name.Suite.Case`. With NEEDS_CLUSTER the whole
# program is one test, `name`, and KUBECONFIG names the cluster that tests use.
function(carrack_cc_test)
  cmake_parse_arguments(PARSE_ARGV 0 test "NEEDS_CLUSTER;SERIAL" "NAME;LABEL" "SOURCES;LIBRARIES")
  set(program ${test_NAME}_test)
  add_executable(${program} ${test_SOURCES})
  target_link_libraries(${program} PRIVATE carrack_warnings ${test_LIBRARIES} GTest::gmock GTest::gtest_main)
  if(test_NEEDS_CLUSTER)
    carrack_py_test(NAME ${test_NAME} LABEL ${test_LABEL} FILE run_with.py IN ${PROJECT_SOURCE_DIR}/tests/cluster
      ARGUMENTS ${program} NEEDS_CLUSTER)
    return()
  endif()
  gtest_discover_tests(${program}
    TEST_PREFIX ${test_NAME}.
    NO_PRETTY_VALUES  # most parameters would be printed as bytes, which differ from run to run
    DISCOVERY_MODE PRE_TEST
    PROPERTIES LABELS ${test_LABEL} TIMEOUT 300 RUN_SERIAL ${test_SERIAL})
endfunction()

# carrack_py_test(NAME name LABEL label FILE file [IN folder] [ARGUMENTS a...] [NEEDS_CLUSTER] [SERIAL] [TIMEOUT seconds])
# Registers a Python program of this folder, or of the folder IN, that runs in the build folder. A test with
# NEEDS_CLUSTER has the cluster to itself, but not the machine; a test with SERIAL has the machine to itself.
function(carrack_py_test)
  cmake_parse_arguments(PARSE_ARGV 0 test "NEEDS_CLUSTER;SERIAL" "NAME;LABEL;FILE;IN;TIMEOUT" "ARGUMENTS")
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 300)
  endif()
  if(NOT test_IN)
    set(test_IN ${CMAKE_CURRENT_SOURCE_DIR})
  endif()
  add_test(NAME ${test_NAME} WORKING_DIRECTORY ${PROJECT_BINARY_DIR}
    COMMAND ${Python3_EXECUTABLE} ${test_IN}/${test_FILE} ${test_ARGUMENTS})
  set_tests_properties(${test_NAME} PROPERTIES
    LABELS ${test_LABEL}
    TIMEOUT ${test_TIMEOUT}
    SKIP_RETURN_CODE 77
    ENVIRONMENT "PYTHONPATH=${PROJECT_SOURCE_DIR}/tests;PYTHONDONTWRITEBYTECODE=1;CARRACK_BUILD=${PROJECT_BINARY_DIR}")
  if(test_NEEDS_CLUSTER)
    set_tests_properties(${test_NAME} PROPERTIES FIXTURES_REQUIRED cluster RESOURCE_LOCK cluster COST ${cost_of_cluster})
  endif()
  if(test_SERIAL)
    set_tests_properties(${test_NAME} PROPERTIES RUN_SERIAL ON)
  endif()
endfunction()
