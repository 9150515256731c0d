// How the process allocates memory.
#pragma once

namespace carrack::data {

// Lets all threads allocate from one heap. Otherwise each has its own, and keeps in it what it has freed, as the
// frames of gRPC: a process would take much more memory than it uses. To be called before the first thread starts.
void use_one_heap();

}  // namespace carrack::data
