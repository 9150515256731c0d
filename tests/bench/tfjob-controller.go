// The controller of TFJobs that is in Kubeflow's training-operator, on its own and at its best: with as many workers as
// it is told, and with no bound on how many requests a second it sends, which the released program has no flag for.
package main

import (
	"os"
	"strconv"

	kubeflowv1 "github.com/kubeflow/training-operator/pkg/apis/kubeflow.org/v1"
	"github.com/kubeflow/training-operator/pkg/controller.v1/common"
	tfjobs "github.com/kubeflow/training-operator/pkg/controller.v1/tensorflow"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	kubernetes "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// tfjob-controller METRICS_ADDRESS WORKERS
func main() {
	ctrl.SetLogger(zap.New(zap.UseDevMode(true)))
	workers, err := strconv.Atoi(os.Args[2])
	utilruntime.Must(err)
	config := ctrl.GetConfigOrDie()
	config.QPS = -1
	scheme := runtime.NewScheme()
	utilruntime.Must(kubernetes.AddToScheme(scheme))
	utilruntime.Must(kubeflowv1.AddToScheme(scheme))
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:  scheme,
		Metrics: metrics.Options{BindAddress: os.Args[1]},
	})
	utilruntime.Must(err)
	controller := tfjobs.NewReconciler(manager, common.GenNonGangSchedulerSetupFunc())
	utilruntime.Must(controller.SetupWithManager(manager, workers))
	utilruntime.Must(manager.Start(ctrl.SetupSignalHandler()))
}
