// bench_comm_protobuf BYTES SECONDS: the rounds of bench_comm as gRPC's tutorial has them: a synchronous stream both
// ways over TCP, with the numbers in a protobuf message. The server takes the same step of SGD.
#include <grpcpp/grpcpp.h>

#include <cstring>
#include <limits>

#include "tests/bench/comm.grpc.pb.h"
#include "tests/bench/rounds.h"
#include "trainer/kernels/floats.h"
#include "trainer/kernels/update.h"

namespace carrack::bench {
namespace {

class Service final : public Server::Service {
 public:
  explicit Service(std::size_t size) : size_(size) {}

  grpc::Status Rounds(grpc::ServerContext*, grpc::ServerReaderWriter<Values, Values>* stream) override {
    train::Floats parameters(size_, 0.0f);
    train::Floats gradient(size_);
    Values values;
    while (stream->Read(&values)) {
      if (values.floats().size() != size_ * sizeof(float)) return {grpc::StatusCode::INVALID_ARGUMENT, "another size"};
      std::memcpy(gradient.data(), values.floats().data(), values.floats().size());
      train::cpu::sgd({.rate = rate}, parameters, gradient, parameters);
      values.set_floats(parameters.data(), size_ * sizeof(float));
      if (!stream->Write(values)) break;
    }
    return grpc::Status::OK;
  }

 private:
  std::size_t size_;
};

void serve(std::size_t bytes, const std::function<void(const std::string&)>& serves_at) {
  Service service(bytes / sizeof(float));
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.SetMaxReceiveMessageSize(-1);
  builder.RegisterService(&service);
  const auto server = builder.BuildAndStart();
  if (!server) give_up("the server does not start");
  serves_at("127.0.0.1:" + std::to_string(port));
  server->Wait();
}

void measure(std::size_t bytes, double seconds) {
  const Child server([&](const auto& serves_at) { serve(bytes, serves_at); });
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  const auto stub =
      Server::NewStub(grpc::CreateCustomChannel(server.address(), grpc::InsecureChannelCredentials(), arguments));
  grpc::ClientContext context;
  const auto stream = stub->Rounds(&context);

  const std::size_t size = bytes / sizeof(float);
  train::Floats gradient(size);
  for (std::size_t i = 0; i < size; ++i) gradient[i] = gradient_at(i);
  train::Floats parameters(size);
  Rounds rounds(bytes, seconds, {server.pid()});
  std::size_t count = 0;
  Values values;
  while (!rounds.enough()) {
    rounds.begin();
    values.set_floats(gradient.data(), bytes);
    if (!stream->Write(values) || !stream->Read(&values) || values.floats().size() != bytes)
      give_up("the stream has ended");
    std::memcpy(parameters.data(), values.floats().data(), bytes);
    rounds.end();
    ++count;
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (parameters[i] != parameter_after(count, i)) give_up("the parameters are wrong");
  }
  rounds.print();
}

}  // namespace
}  // namespace carrack::bench

int main(int argc, char** argv) {
  return carrack::bench::main_of("bench_comm_protobuf", argc, argv, carrack::bench::measure);
}
