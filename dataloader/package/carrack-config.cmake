# What find_package(carrack) reads: the library carrack::dataloader, and what it is linked with.
include(CMakeFindDependencyMacro)
find_dependency(JPEG)
find_dependency(OpenSSL)
find_dependency(PNG)
find_dependency(Threads)
find_dependency(ZLIB)
include(${CMAKE_CURRENT_LIST_DIR}/carrack-targets.cmake)
