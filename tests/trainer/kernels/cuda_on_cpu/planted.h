// Kernels for the test of the fibres themselves: right ones, and ones with a fault. Each launch is of two blocks with
// 64 threads, and buffers have an element for each thread.
#pragma once

#include <cstddef>

#include "trainer/kernels/device.h"

namespace carrack::cuda_on_cpu {

// Each block of `to` is that of `from` backwards.
void reverse_blocks(const train::cuda::Buffer& from, train::cuda::Buffer& to);
void reverse_blocks_without_barrier(const train::cuda::Buffer& from, train::cuda::Buffer& to);
void reverse_blocks_in_dynamic_memory(const train::cuda::Buffer& from, train::cuda::Buffer& to,
                                      std::size_t shared_bytes);
// Each element is the sum over its warp, or -1 if the ways to compute it differ.
void sum_warps(const train::cuda::Buffer& from, train::cuda::Buffer& to);
// Each element is the number in its block of the first thread of its half warp.
void find_leaders(train::cuda::Buffer& to);
// Adds 1 for each thread, takes the largest number of a thread; one thread sets the first claim and adds 1 to the
// other.
void count_atomically(float& sum, int& largest, int (&claims)[2]);

void divergent_barrier();                              // thread 5 leaves it out
void two_barriers();                                   // half of the threads wait at another one
void divergent_shuffle(train::cuda::Buffer& to);       // thread 40 leaves it out
void shuffle_of_half_a_warp(train::cuda::Buffer& to);  // blocks of 48 threads
void wrong_mask(train::cuda::Buffer& to);              // lacks lane 16
void outside_mask(train::cuda::Buffer& to);            // reads lane 20
void shared_off_by_one();
void device_off_by_one(train::cuda::Buffer& to);

}  // namespace carrack::cuda_on_cpu
