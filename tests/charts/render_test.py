"""What the chart renders: by default all it needs and no more, and each value where it belongs."""

import re
import unittest
from pathlib import Path

from chart import CHART, KUBERNETES, WORK, definition, helm, refusal, render, yaml
from support import machine

CLUSTER_WIDE = {("ClusterRole", "", "carrack"), ("ClusterRoleBinding", "", "carrack")}
USER_ROLES = {("ClusterRole", "", "carrack-view"), ("ClusterRole", "", "carrack-edit")}
CRD = ("CustomResourceDefinition", "", "trainingjobs.carrack.dev")
ALWAYS = {("Deployment", "ops", "carrack"), ("Service", "ops", "carrack-metrics"), ("ServiceAccount", "ops", "carrack")}
RULES = [
    {"apiGroups": ["carrack.dev"], "resources": ["trainingjobs"], "verbs": ["delete", "list", "watch"]},
    {"apiGroups": ["carrack.dev"], "resources": ["trainingjobs/status"], "verbs": ["patch"]},
    {"apiGroups": ["carrack.dev"], "resources": ["trainingjobs/finalizers"], "verbs": ["update"]},
    {"apiGroups": [""], "resources": ["pods"], "verbs": ["create", "delete", "list", "patch", "watch"]},
    {"apiGroups": [""], "resources": ["configmaps", "services"], "verbs": ["create", "delete", "list", "watch"]},
    {"apiGroups": [""], "resources": ["secrets"], "verbs": ["create"]},
    {"apiGroups": ["events.k8s.io"], "resources": ["events"], "verbs": ["create", "patch"]}]


def deployment(values: dict | None = None, *options: str) -> dict:
    return render(values, *options)["Deployment", "ops", "carrack"]["spec"]


def pod(values: dict | None = None) -> dict:
    return deployment(values)["template"]["spec"]


def container(values: dict | None = None) -> dict:
    (only,) = pod(values)["containers"]
    return only


class ByDefault(unittest.TestCase):
    def test_passes_helms_own_check(self):
        self.assertIn("1 chart(s) linted, 0 chart(s) failed",
                      helm("lint", "--strict", f"--kube-version={KUBERNETES}", str(CHART)))

    def test_is_these_objects(self):
        self.assertEqual(set(render()), ALWAYS | CLUSTER_WIDE | USER_ROLES | {CRD})

    def test_runs_one_operator_at_a_time(self):
        spec = deployment()
        self.assertEqual((spec["replicas"], spec["strategy"]), (1, {"type": "Recreate"}))

    def test_pod_is_restricted_and_cannot_write_to_its_image(self):
        self.assertEqual(pod()["securityContext"], {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}})
        self.assertEqual(container()["securityContext"], {
            "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}})

    def test_serves_probes_on_a_port_of_their_own(self):
        operator = container()
        self.assertEqual(operator["args"],
                         ["--listen", "0.0.0.0:8080", "--probes", "0.0.0.0:8081", "--trainer-image",
                          "docker.io/carrack/trainer:0.1.0"])
        self.assertEqual(operator["ports"], [{"name": "http", "containerPort": 8080},
                                             {"name": "probes", "containerPort": 8081}])
        self.assertEqual([operator[probe]["httpGet"] for probe in ("livenessProbe", "readinessProbe")],
                         [{"path": "/healthz", "port": "probes"}, {"path": "/readyz", "port": "probes"}])

    def test_images_are_of_the_version_that_the_programs_say(self):
        project = (machine.REPOSITORY / "CMakeLists.txt").read_text()
        version = re.search(r"project\(carrack VERSION (\S+)", project)[1]
        self.assertEqual(container()["image"], f"docker.io/carrack/operator:{version}")

    def test_account_may_do_what_the_operator_does_and_only_its_pod_has_the_token(self):
        objects = render()
        self.assertEqual(objects["ClusterRole", "", "carrack"]["rules"], RULES)
        self.assertEqual(objects["ClusterRoleBinding", "", "carrack"]["subjects"],
                         [{"kind": "ServiceAccount", "name": "carrack", "namespace": "ops"}])
        self.assertIs(objects["ServiceAccount", "ops", "carrack"]["automountServiceAccountToken"], False)
        self.assertIs(pod()["automountServiceAccountToken"], True)

    def test_services_and_monitors_select_the_pod(self):
        served = "--api-versions=monitoring.coreos.com/v1/ServiceMonitor"
        objects = render({"metrics.monitor": "ServiceMonitor"}, served)
        service = objects["Service", "ops", "carrack-metrics"]
        labels = deployment()["template"]["metadata"]["labels"]
        self.assertEqual(service["spec"]["selector"].items() - labels.items(), set())
        selected = objects["ServiceMonitor", "ops", "carrack"]["spec"]["selector"]["matchLabels"]
        self.assertEqual(selected.items() - service["metadata"]["labels"].items(), set())

    def test_carries_the_definition_of_the_api_to_be_kept(self):
        carried = render()[CRD]
        self.assertEqual(carried["metadata"].pop("annotations"), {"helm.sh/resource-policy": "keep"})
        self.assertEqual(carried, yaml.safe_load(definition(CHART).read_text()))


class ByValue(unittest.TestCase):
    def test_images(self):
        digest = "sha256:" + "0123456789abcdef" * 4
        own = {"repository": "eu.example.com:5000/x", "tag": "dev"}
        self.assertEqual(container({"image": own})["image"], "eu.example.com:5000/x:dev")
        self.assertEqual(container({"image": {**own, "digest": digest}})["image"], f"eu.example.com:5000/x@{digest}")
        trainer = container({"trainer.image": own})["args"]
        self.assertEqual(trainer[4:], ["--trainer-image", "eu.example.com:5000/x:dev"])
        trainer = container({"trainer.image": {"digest": digest}})["args"]
        self.assertEqual(trainer[4:], ["--trainer-image", f"docker.io/carrack/trainer@{digest}"])
        self.assertEqual(container({"image.pullPolicy": "Always"})["imagePullPolicy"], "Always")

    def test_probes_go_to_the_port_that_is_given(self):
        operator = container({"probes.port": 9000})
        self.assertEqual(operator["args"][2:4], ["--probes", "0.0.0.0:9000"])
        self.assertEqual(operator["ports"][1], {"name": "probes", "containerPort": 9000})

    def test_arguments_are_passed_as_they_are_written(self):
        values = {"trainer.env": [{"name": "HTTPS_PROXY", "value": "http://proxy:3128"},
                                  {"name": "QUOTED", "value": 'a "b" {{ c }}: # \\ = d'}],
                  "watchNamespaces": ["red", "2024"], "extraArgs": ["--listen", "true"]}
        self.assertEqual(container(values)["args"][6:], [
            "--trainer-env", "HTTPS_PROXY=http://proxy:3128", "--trainer-env", 'QUOTED=a "b" {{ c }}: # \\ = d',
            "--namespace", "red", "--namespace", "2024", "--listen", "true"])

    def test_jobs_have_network_policies_on_request(self):
        values = {"trainer.networkPolicies": True}
        self.assertEqual(container(values)["args"][6:], ["--network-policies", "ops"])
        rules = render(values)["ClusterRole", "", "carrack"]["rules"]
        self.assertEqual([rule for rule in rules if rule not in RULES],
                         [{"apiGroups": ["networking.k8s.io"], "resources": ["networkpolicies"],
                           "verbs": ["create", "list"]}])

    def test_each_value_of_the_pod_stands_in_it(self):
        values = {"imagePullSecrets": [{"name": "registry"}], "nodeSelector": {"disk": "ssd"},
                  "tolerations": [{"key": "dedicated", "operator": "Exists"}],
                  "affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": []}}}
        self.assertEqual({name: pod(values)[name] for name in values}, values)
        resources = {"requests": {"cpu": "1"}, "limits": {"memory": "1Gi"}}
        self.assertEqual(container({"resources": resources})["resources"],
                         {"requests": {"cpu": "1", "memory": "64Mi"}, "limits": {"memory": "1Gi"}})

    def test_labels_and_annotations_are_added_and_replace_none(self):
        values = {"podAnnotations": {"note": "1"}, "podLabels": {"team": "red", "app.kubernetes.io/name": "mine"}}
        metadata = deployment(values)["template"]["metadata"]
        self.assertEqual(metadata["annotations"], {"note": "1"})
        self.assertEqual((metadata["labels"]["team"], metadata["labels"]["app.kubernetes.io/name"]), ("red", "carrack"))

    def test_some_namespaces_are_watched_by_roles_in_them(self):
        objects = render({"watchNamespaces": ["red", "blue"], "userRoles.enabled": False})
        roles = {(kind, namespace, "carrack") for kind in ("Role", "RoleBinding") for namespace in ("red", "blue")}
        self.assertEqual(set(objects), ALWAYS | roles | {CRD})
        for namespace in ("red", "blue"):
            self.assertEqual(objects["Role", namespace, "carrack"]["rules"], RULES)
            binding = objects["RoleBinding", namespace, "carrack"]
            self.assertEqual(binding["roleRef"],
                             {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "carrack"})
            self.assertEqual(binding["subjects"], [{"kind": "ServiceAccount", "name": "carrack", "namespace": "ops"}])

    def test_the_account_may_be_the_users(self):
        objects = render({"serviceAccount": {"create": False, "name": "mine"}})
        self.assertNotIn("ServiceAccount", {kind for kind, _, _ in objects})
        self.assertEqual(pod({"serviceAccount": {"create": False, "name": "mine"}})["serviceAccountName"], "mine")
        self.assertEqual(objects["ClusterRoleBinding", "", "carrack"]["subjects"][0]["name"], "mine")
        named = render({"serviceAccount": {"name": "mine", "annotations": {"note": "1"}}})
        self.assertEqual(named["ServiceAccount", "ops", "mine"]["metadata"]["annotations"], {"note": "1"})
        self.assertIn("serviceAccount.name: must name the account to use, because serviceAccount.create is false",
                      refusal({"serviceAccount.create": False}))

    def test_the_definition_of_the_api_may_be_left_out_or_not_kept(self):
        self.assertNotIn(CRD, render({"crds.enabled": False}))
        self.assertNotIn("annotations", render({"crds.keep": False})[CRD]["metadata"])

    def test_each_kind_of_monitor_says_where_to_look(self):
        for kind, api, field in [("ServiceMonitor", "monitoring.coreos.com/v1", "endpoints"),
                                 ("PodMonitor", "monitoring.coreos.com/v1", "podMetricsEndpoints"),
                                 ("PodMonitoring", "monitoring.googleapis.com/v1", "endpoints")]:
            values = {"metrics": {"monitor": kind, "interval": "5s", "monitorLabels": {"prometheus": "main"}}}
            monitor = render(values, f"--api-versions={api}/{kind}")[kind, "ops", "carrack"]
            self.assertEqual(monitor["apiVersion"], api)
            self.assertEqual(monitor["spec"][field], [{"port": "http", "interval": "5s"}])
            self.assertEqual(monitor["metadata"]["labels"]["prometheus"], "main")
            self.assertIn(f"metrics.monitor: is {kind}, which this cluster does not serve; install {api} first, or set "
                          f"it to None (helm template: add --api-versions {api}/{kind})", refusal(values))

    def test_a_network_policy_lets_in_who_asks_for_metrics(self):
        peers = [{"namespaceSelector": {"matchLabels": {"name": "monitoring"}}}]
        for values, rule in [({"enabled": True}, {"ports": [{"port": "http"}]}),
                             ({"enabled": True, "from": peers}, {"ports": [{"port": "http"}], "from": peers})]:
            spec = render({"networkPolicy": values})["NetworkPolicy", "ops", "carrack"]["spec"]
            self.assertEqual((spec["policyTypes"], spec["ingress"]), (["Ingress"], [rule]))
            self.assertEqual(spec["podSelector"]["matchLabels"], deployment()["selector"]["matchLabels"])


class Names(unittest.TestCase):
    def names(self, release: str, values: dict | None = None) -> set[str]:
        return {name for kind, _, name in render(values, release=release) if kind == "Deployment"}

    def test_follow_the_release_and_can_be_chosen(self):
        self.assertEqual(self.names("carrack-two"), {"carrack-two"})
        self.assertEqual(self.names("two"), {"two-carrack"})
        self.assertEqual(self.names("two", {"nameOverride": "trainer"}), {"two-trainer"})
        self.assertEqual(self.names("two", {"fullnameOverride": "here"}), {"here"})

    def test_leave_room_for_what_is_added_to_them(self):
        for _, _, name in render(release="r" * 53):
            self.assertRegex(name, r"^[a-z]([-a-z0-9.]{0,61}[a-z0-9])$")


class AsADependency(unittest.TestCase):
    def test_renders_within_another_chart(self):
        outer = Path(WORK.name) / "outer"
        (outer / "charts").mkdir(parents=True)
        (outer / "charts" / "carrack").symlink_to(CHART)
        (outer / "Chart.yaml").write_text("apiVersion: v2\nname: outer\nversion: 1.0.0\n")
        objects = render({"global": {"region": "eu"}, "carrack.crds.enabled": False}, release="site", chart=outer)
        self.assertIn(("Deployment", "ops", "site-carrack"), objects)


if __name__ == "__main__":
    unittest.main(verbosity=2)
