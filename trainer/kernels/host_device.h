// Marks functions that kernels of every device call.
#pragma once

#ifdef __CUDACC__
#define CARRACK_HOST_DEVICE __host__ __device__
#else
#define CARRACK_HOST_DEVICE
#endif
