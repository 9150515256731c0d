// What every Cluster must do, as one list of behaviours: instantiate ClusterContract with a maker for each
// implementation. Each behaviour starts from a cluster without jobs. A cluster that jobs are deleted from is held
// against DeletionContract too; one that is made for a job, and goes with it, has nothing there to show.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "operator/runtime/cluster.h"

namespace carrack::control {

// A cluster, and what a user and time do to it. What happens to processes happens once they run.
class ClusterUnderTest {
 public:
  virtual ~ClusterUnderTest() = default;
  virtual Cluster& cluster() = 0;
  virtual std::string create_job(const JobSpec& spec) = 0;  // its key
  virtual void delete_job(const std::string&) { FAIL() << "this cluster goes with its job"; }
  virtual void settle() = 0;  // watches bring everything; what has been asked to leave has left
  virtual void exit(const ObservedProcess& process, int code) = 0;
  virtual void kill(const ObservedProcess& process) = 0;
  virtual void hang(const ObservedProcess& process) = 0;  // from now on it does not leave when it is asked to
};

using NewCluster = std::function<std::unique_ptr<ClusterUnderTest>()>;

class ClusterContract : public testing::TestWithParam<NewCluster> {
 protected:
  void SetUp() override { under_test_ = GetParam()(); }
  Cluster& cluster() { return under_test_->cluster(); }
  Snapshot settled() {
    under_test_->settle();
    return cluster().observe(job_, Reading::cached);
  }
  void create_job();
  Reply act(const Action& action);  // as the loop does: look, write the status, act
  Reply create(const train::Member& member, int incarnation);
  ObservedProcess created(const train::Member& member);  // the only process there is

  std::unique_ptr<ClusterUnderTest> under_test_;
  JobSpec spec_;
  std::string job_ = "default/line";
};

class DeletionContract : public ClusterContract {};

}  // namespace carrack::control
