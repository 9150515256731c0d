"""First inputs of the target `http`: the first byte says in what pieces a reply comes."""

REPLIES = {
    "counted": b"\1HTTP/1.1 206 OK\r\nContent-Range: bytes 0-4/9\r\nContent-Length: 5\r\n\r\nhello and more",
    "chunked": b"\2HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;n=v\r\nhello\r\n0\r\nA: b\r\n\r\nmore",
    "until_end": b"\3HTTP/1.0 200\r\n\r\nhello",
    "location": b"\xffHTTP/1.1 200 OK\r\nLocation: https://storage.googleapis.com:443/u?upload_id=i\r\n\r\n",
    "two_lengths": b"\4HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "proxy": b"\0user:p%40ss@proxy:3128",
    "no_proxy": b"\0.example.com,10.0.0.0/8,fd00::/8,*",
    "groups": b"\0009:cpu,cpuacct:/a\n8:memory:/a/b\n0::/c\n",
    "limit": b"\000150000 100000\n",
    "meminfo": b"\0MemTotal: 2048 kB\n",
}
