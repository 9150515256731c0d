"""Pods for tests that the `restricted` Pod Security Standard admits; their root file system is read-only, too."""

USER = 65532


def container(name: str, image: str, arguments: list[str], command: list[str] | None = None) -> dict:
    return {
        "name": name, "image": image, "imagePullPolicy": "IfNotPresent", "args": arguments,
        **({"command": command} if command else {}),
        "securityContext": {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                            "capabilities": {"drop": ["ALL"]}}}


def client(image: str) -> dict:
    """A container with kubectl, for HTTP requests: `exec POD -c client -- kubectl --server=URL get --raw /PATH`.

    It calls the API server by name, which tests the name and its certificate.
    """
    # `kubectl proxy` waits for connections, which makes it a long sleep.
    result = container("client", image, ["proxy"])
    result["env"] = [{"name": "KUBERNETES_SERVICE_HOST", "value": "kubernetes.default.svc"}]
    return result


def pod(name: str, *containers: dict, labels: dict[str, str] | None = None, **spec) -> dict:
    """A pod of `containers`. Keywords are further fields of its spec."""
    return {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels or {}},
        "spec": {
            "restartPolicy": "Never", "terminationGracePeriodSeconds": 0,
            "securityContext": {"runAsNonRoot": True, "runAsUser": USER, "seccompProfile": {"type": "RuntimeDefault"}},
            "containers": list(containers), **spec}}


def service(name: str, labels: dict[str, str], port: int, target_port: int, headless: bool = False) -> dict:
    return {
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": name},
        "spec": {"selector": labels, "ports": [{"port": port, "targetPort": target_port}],
                 **({"clusterIP": "None"} if headless else {})}}


def web_server(name: str, busybox: str) -> list[dict]:
    """A web server that answers `GET /` with its name, at port 80 of Service `name` and port 8080 of `name`-headless."""
    labels = {"app": name}
    page = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"index.html": name}}
    serve = container("httpd", busybox, ["httpd", "-f", "-p", "8080", "-h", "/site"])
    serve["volumeMounts"] = [{"name": "site", "mountPath": "/site"}]
    serve["readinessProbe"] = {"httpGet": {"path": "/", "port": 8080}, "periodSeconds": 1}
    site = {"name": "site", "configMap": {"name": name}}
    return [page, pod(name, serve, labels=labels, volumes=[site]), service(name, labels, 80, 8080),
            service(f"{name}-headless", labels, 8080, 8080, headless=True)]
