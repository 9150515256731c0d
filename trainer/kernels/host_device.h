// CARRACK_HOST_DEVICE marks functions that run on the CPU and in kernels of GPUs. Compilers other than CUDA's ignore
// it.
#pragma once

#ifdef __CUDACC__
#define CARRACK_HOST_DEVICE __host__ __device__
#else
#define CARRACK_HOST_DEVICE
#endif
