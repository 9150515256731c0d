"""The first inputs of the target `kube`: kubeconfigs, what plugins print, answers of an API server."""

# What a kubeconfig can say; one that is cut in two says the same.
KUBECONFIG = b"""current-context: c
contexts: [{name: c, context: {cluster: k, user: u, namespace: n}}]
clusters: [{name: k, cluster: {server: "https://[::1]:6443/p", certificate-authority-data: QQ==, tls-server-name: t}}]
users:
- {name: u, user: {client-certificate-data: QQ==, client-key-data: QUI=, token: t, tokenFile: f}}
"""
PLUGIN = b"""  exec:
      {apiVersion: client.authentication.k8s.io/v1, command: ./c, args: [a], env: [{name: n, value: v}], installHint: h,
       provideClusterInfo: true}
"""
PRINTED = b'''{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "t",
"clientCertificateData": "c", "clientKeyData": "k", "expirationTimestamp": "2026-01-31T23:59:58Z"}}'''

KUBE = {
    "kubeconfig": b"\0" + KUBECONFIG,
    "kubeconfigs": b"\0" + KUBECONFIG.replace(b"contexts", b"\0contexts", 1).replace(b"users", b"\0users"),
    "plugin": b"\0" + KUBECONFIG.split(b"- {name: u")[0] + b"- name: u\n  user:\n  " + PLUGIN,
    "plain": b"\0" + KUBECONFIG.replace(b"https://[::1]:6443/p", b"http://h"),
    "auth_provider": b"\0" + KUBECONFIG.replace(b"token: t,", b"auth-provider: {},"),
    "printed": b"\1" + PRINTED,
    "status": b"\2" + b'{"kind": "Status", "reason": "NotFound", "message": "pods \\"a\\" not found"}',
    "lines": b"\3" + b"one\n\ntw\0o\n\0\nlonger than is allowed\n",
}
