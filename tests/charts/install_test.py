"""The chart on a real cluster: admitted where pods may do least, upgraded with its API, removed without a trace, and
with rights that are exactly enough.
"""

import json
import unittest

from chart import CHART, copy, definition, helm, values_options, yaml
from cluster import access
from support import machine

RELEASE = "carrack-tested"
NOWHERE = {"nodeSelector": {"no-node": "has-this"}}  # What is tested is there before a pod runs.
API = "customresourcedefinition/trainingjobs.carrack.dev"
NEEDED = {(verb, resource) for resource, verbs in {
    "trainingjobs.carrack.dev": ["delete", "list", "watch"],
    "trainingjobs.carrack.dev/status": ["patch"],
    "trainingjobs.carrack.dev/finalizers": ["update"],
    "pods": ["create", "delete", "list", "patch", "watch"],
    "services": ["create", "delete", "list", "watch"],
    "configmaps": ["create", "delete", "list", "watch"],
    "secrets": ["create"],
    "events.events.k8s.io": ["create", "patch"]}.items() for verb in verbs}
VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
DENIED = [("get", "secrets"), ("list", "secrets"), ("create", "pods/exec"), ("get", "pods/log"),
          ("create", "serviceaccounts/token"), ("update", "trainingjobs.carrack.dev"), ("delete", "secrets"),
          ("watch", "secrets"), ("patch", "secrets"), ("update", "secrets"),
          ("*", "pods"), ("get", "*"), ("*", "*")]
JOB = str(machine.REPOSITORY / "crds" / "examples" / "linear-regression.yaml")


def may(account: str, verb: str, resource: str, namespace: str) -> bool:
    try:
        kind, _, subresource = resource.partition("/")
        access.kubectl("auth", "can-i", verb, kind, *([f"--subresource={subresource}"] if subresource else []),
                       f"--as={account}", f"--namespace={namespace}")
        return True
    except RuntimeError as error:
        if str(error).endswith(": no"):
            return False
        raise


def spelled(resource: str, group: str) -> str:
    """As NEEDED writes it: kind, group, subresource."""
    kind, slash, subresource = resource.partition("/")
    return kind + (f".{group}" if group else "") + slash + subresource


def rules(account: str, namespace: str) -> set[tuple[str, str]]:
    """All (verb, resource) that it is allowed there."""
    review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview",
              "spec": {"namespace": namespace}}
    answer = access.kubectl("create", "--validate=false", f"--as={account}", "-o", "json", "-f", "-",
                            input=json.dumps(review))
    return {(verb, spelled(resource, group)) for rule in json.loads(answer)["status"]["resourceRules"]
            for verb in rule["verbs"] for group in rule["apiGroups"] for resource in rule["resources"]}


def named(kinds: str, release: str) -> set[str]:
    """The objects that carry the release's label, in every namespace."""
    return set(access.kubectl("get", kinds, "-A", "-o", "name", "-l", f"app.kubernetes.io/instance={release}").split())


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # It is the whole cluster's: whoever installed it may have jobs, which would go with it.
        if access.kubectl("get", API, "--ignore-not-found"):
            machine.skip(f"{API} is there, with whoever's jobs, and this test would remove it; delete it first")
        cls.addClassCleanup(access.kubectl, "delete", API, "--ignore-not-found")
        cls.namespace = cls.enterClassContext(access.namespace("chart"))
        cls.other = cls.enterClassContext(access.namespace("chart-other"))
        cls.account = f"system:serviceaccount:{cls.namespace}:{RELEASE}"

    def helm(self, verb: str, *arguments: str) -> str:
        return helm(verb, RELEASE, *arguments, f"--namespace={self.namespace}", f"--kubeconfig={access.kubeconfig()}")

    def install(self, values: dict | None = None) -> str:
        self.addCleanup(self.helm, "uninstall", "--ignore-not-found", "--wait", "--cascade=foreground")
        return self.helm("install", str(CHART), *values_options(NOWHERE | (values or {})))

    def test_is_admitted_under_the_restricted_level_and_says_what_to_do_next(self):
        said = self.install()
        self.assertIn(f"kubectl --namespace {self.namespace} rollout status deployment/{RELEASE}", said)
        self.assertIn("it serves TrainingJobs in all namespaces.", said)
        made = access.eventually("the pod is admitted", 30, lambda: named("pods", RELEASE))
        self.assertEqual(len(made), 1)
        account = access.kubectl("get", *made, "-n", self.namespace, "-o", "jsonpath={.spec.serviceAccountName}")
        self.assertEqual(account, RELEASE)

    def test_may_do_what_it_needs_and_nothing_else_in_every_namespace(self):
        self.install()
        self.assert_exactly_enough(self.other)

    def test_may_do_nothing_outside_of_the_namespaces_it_watches(self):
        watched = self.enterContext(access.namespace("chart-watched"))
        self.install({"watchNamespaces": [watched]})
        self.assert_exactly_enough(watched)
        self.assertEqual(self.rights(self.other), set())

    def test_may_create_and_list_network_policies_if_jobs_are_to_have_them(self):
        self.install({"trainer.networkPolicies": True})
        policies = "networkpolicies.networking.k8s.io"
        self.assert_exactly_enough(self.other, NEEDED | {("create", policies), ("list", policies)})

    def assert_exactly_enough(self, namespace: str, needed: set[tuple[str, str]] = NEEDED):
        self.assertEqual(self.rights(namespace), needed)
        self.assertEqual([need for need in needed if not may(self.account, *need, namespace)], [])
        self.assertEqual([more for more in DENIED if may(self.account, *more, namespace)], [])

    def rights(self, namespace: str) -> set[tuple[str, str]]:
        """What an account without any role may not."""
        return rules(self.account, namespace) - rules(f"system:serviceaccount:{self.namespace}:default", namespace)

    def test_users_of_a_namespace_may_use_its_jobs_as_far_as_their_role_goes(self):
        self.install()
        for role in ("view", "edit", "admin"):
            access.kubectl("create", "rolebinding", role, f"--clusterrole={role}", f"--user={role}er", "-n", self.other)
        access.eventually("the roles are added up", 30,
                          lambda: may("editer", "create", "trainingjobs.carrack.dev", self.other))
        rights = {role: [verb for verb in VERBS if may(f"{role}er", verb, "trainingjobs.carrack.dev", self.other)]
                  for role in ("view", "edit", "admin")}
        self.assertEqual(rights, {"view": ["get", "list", "watch"], "edit": VERBS, "admin": VERBS})
        scaling = {role: [verb for verb in VERBS if may(f"{role}er", verb, "trainingjobs.carrack.dev/scale", self.other)]
                   for role in ("view", "edit", "admin")}
        self.assertEqual(scaling, {"view": ["get"], "edit": ["get", "patch", "update"], "admin": ["get", "patch", "update"]})
        self.assertFalse(may("adminer", "update", "trainingjobs.carrack.dev/status", self.other))

    def test_an_upgrade_changes_what_is_set_and_the_api(self):
        self.install()
        newer = copy("newer")
        api = yaml.safe_load(definition(newer).read_text())
        api["spec"]["names"]["categories"] = ["upgraded"]
        definition(newer).write_text(yaml.safe_dump(api))
        self.helm("upgrade", str(newer), *values_options(NOWHERE | {"extraArgs": ["--help"]}))
        self.assertEqual(access.kubectl("get", API, "-o", "jsonpath={.spec.names.categories}"), '["upgraded"]')
        containers = json.loads(access.kubectl("get", "deployment", RELEASE, "-n", self.namespace, "-o",
                                               "jsonpath={.spec.template.spec.containers}"))
        self.assertEqual(containers[0]["args"][-1], "--help")

    def test_uninstalled_leaves_the_api_and_the_jobs_and_nothing_else_and_comes_back(self):
        self.install()
        access.eventually("the API is served", 30,
                          lambda: access.kubectl("wait", API, "--for=condition=Established", "--timeout=30s"))
        access.kubectl("create", "-n", self.other, "-f", JOB)
        self.helm("uninstall", "--wait", "--cascade=foreground")
        kinds = access.kubectl("api-resources", "--verbs=list", "-o", "name").split()
        access.eventually("all is gone", 60, lambda: not named(",".join(kinds), RELEASE))
        self.assertEqual(access.kubectl("get", "secrets", "-n", self.namespace, "-o", "name", "-l", "owner=helm"), "")
        self.assertIn("linear-regression", access.kubectl("get", "trainingjobs", "-n", self.other))
        self.install()
        self.assertIn("linear-regression", access.kubectl("get", "trainingjobs", "-n", self.other))


if __name__ == "__main__":
    unittest.main(verbosity=2)
