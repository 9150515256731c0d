# Finds the CUDA Toolkit: an installed one, or the folder with PyPI's packages that CUDAToolkit_ROOT names. CMake 3.25
# does not know that CUDA 13 dropped nvToolsExt; a target of that name keeps FindCUDAToolkit from failing.
if(NOT TARGET CUDA::nvToolsExt)
  add_library(CUDA::nvToolsExt INTERFACE IMPORTED)
endif()
enable_language(CUDA)
# Debian 12's CMake does not know nvcc's flag for C++20.
set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
string(APPEND CMAKE_CUDA_FLAGS " -Werror=all-warnings -Xcompiler=-Wall,-Wextra")
find_package(CUDAToolkit REQUIRED)
