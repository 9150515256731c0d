# The trainer for NVIDIA GPUs: docker build -f docker/trainer-cuda.Dockerfile -t carrack/trainer-cuda .
# The driver comes from the node (580 or newer); the CUDA runtime is linked into the program.
FROM docker.io/library/debian:trixie-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends binutils ca-certificates ccache cmake g++ ninja-build python3-venv \
    libcpp-httplib-dev libgrpc++-dev libisal-dev libjpeg62-turbo-dev libpng-dev libprotobuf-dev libspdlog-dev libssl-dev libyaml-cpp-dev nlohmann-json3-dev pkgconf protobuf-compiler protobuf-compiler-grpc zlib1g-dev
WORKDIR /source
COPY docker/install_cuda_toolkit.sh docker/
RUN docker/install_cuda_toolkit.sh /cuda
COPY . .
ENV CCACHE_DIR=/ccache CCACHE_BASEDIR=/source CCACHE_NOHASHDIR=1 CCACHE_COMPILERCHECK=content
RUN cmake --preset cuda -DBUILD_TESTING=OFF -DCMAKE_CUDA_COMPILER=/cuda/toolkit/bin/nvcc -DCUDAToolkit_ROOT=/cuda/toolkit \
    && cmake --build --preset cuda --target carrack-trainer
RUN docker/collect_image.sh build/cuda/bin/carrack-trainer /image \
    && install -D -m 644 /cuda/lib/python3*/site-packages/nvidia_cuda_runtime-*.dist-info/licenses/License.txt \
       /image/usr/share/doc/nvidia-cuda-runtime/copyright

FROM scratch
COPY --from=build /image /
# What the container runtime of a GPU node looks for to mount the driver.
ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility
# Where GKE mounts it, which no loader looks by itself.
ENV LD_LIBRARY_PATH=/usr/local/nvidia/lib64
USER 65532:65532
ENTRYPOINT ["/usr/bin/carrack-trainer"]
