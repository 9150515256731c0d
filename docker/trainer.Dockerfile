# The CPU trainer: docker build -f docker/trainer.Dockerfile -t carrack/trainer .
FROM docker.io/library/debian:trixie-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends binutils ca-certificates ccache cmake g++ ninja-build \
    libcpp-httplib-dev libgrpc++-dev libisal-dev libjpeg62-turbo-dev libpng-dev libprotobuf-dev libspdlog-dev libssl-dev libyaml-cpp-dev nlohmann-json3-dev pkgconf protobuf-compiler protobuf-compiler-grpc zlib1g-dev
WORKDIR /source
COPY . .
ENV CCACHE_DIR=/ccache CCACHE_BASEDIR=/source CCACHE_NOHASHDIR=1 CCACHE_COMPILERCHECK=content
RUN cmake --preset release -DBUILD_TESTING=OFF && cmake --build --preset release --target carrack-trainer
RUN docker/collect_image.sh build/release/bin/carrack-trainer /image

FROM scratch
COPY --from=build /image /
USER 65532:65532
ENTRYPOINT ["/usr/bin/carrack-trainer"]
