"""A small internet for the benchmarks: hosts on a bridge, and behind it names, web servers and certificates, in 198.18.0.0/15.

Every name is the same web server, with a certificate of an authority that only this network trusts. With this the default configuration
of the exporter finds the internet that it asks for, over IPv4, and nothing leaves the machine.
"""
import bench
from bench import Program, run, write

WEB, NAMES = "198.18.200.1", "198.18.200.53"
GATEWAY = "198.18.0.1"


def make_internet():
    """The servers, in the benchmark's own namespace, and the bridge to the hosts."""
    run("ip link add bridge type bridge")
    run(f"ip address add {GATEWAY}/16 dev bridge")
    run("ip link set bridge up")
    for address in WEB, NAMES:
        run(f"ip address add {address}/32 dev lo")
    make_certificates()
    names()
    web("web")


def make_certificates():
    """The authority that only this mount namespace trusts, a certificate of it for each name of the default configuration, and one that
    nothing trusts; and the address of the name server."""
    for name in "key", "request", "authority":
        write(name, "")
    work = bench.WORK
    new = "openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
    run(f"{new} -x509 -days 2 -subj /CN=lab -keyout {work}/authority.key -out {work}/authority")
    run(f"{new} -subj /CN=web -keyout {work}/key -out {work}/request")
    names = "DNS:connectivitycheck.gstatic.com,DNS:detectportal.firefox.com,DNS:www.cloudflare.com,DNS:www.gstatic.com"
    write("extensions", f"subjectAltName={names}\n")
    run(f"openssl x509 -req -days 2 -in {work}/request -CA {work}/authority -CAkey {work}/authority.key -CAcreateserial "
        f"-extfile {work}/extensions -out {work}/certificate")
    run(f"{new} -x509 -days 2 -subj /CN=portal -keyout {work}/portal.key -out {work}/portal")
    write("resolv.conf", f"nameserver {NAMES}\n")
    # In this mount namespace only.
    run(f"mount --bind {work}/resolv.conf /etc/resolv.conf")
    run(f"mount --bind {work}/authority /etc/ssl/certs/ca-certificates.crt")


def names(namespace=None, listen=(NAMES,), web=(WEB,)):
    """A name server for which every name is the web server."""
    Program("dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null", "--user=root", "--pid-file=", "--no-resolv", "--no-hosts",
            *(f"--listen-address={address}" for address in listen), "--bind-interfaces", *(f"--address=/#/{address}" for address in web),
            "--log-facility=-", namespace=namespace)


def web(name, namespace=None):
    """What the default configuration expects of its hosts, at any address of the namespace."""
    work = bench.WORK
    listen = "listen 80; listen [::]:80; listen 443 ssl; listen [::]:443 ssl;"
    nginx(name, f"{listen} ssl_certificate {work}/certificate; ssl_certificate_key {work}/key;"
          r'location = /generate_204 { return 204; } location = /success.txt { return 200 "success\n"; }', namespace)


def portal(name, namespace):
    """A login page in place of every host."""
    work = bench.WORK
    nginx(name, f"listen 80; listen 443 ssl; ssl_certificate {work}/portal; ssl_certificate_key {work}/portal.key;"
          "location /generate_204 { return 302 http://login.example/; } location /success.txt { return 302 http://login.example/; }", namespace)


def nginx(name, server, namespace=None):
    """A running nginx with one server."""
    folder = bench.WORK
    temporary = " ".join(f"{kind}_temp_path {folder}/{name}-{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    configuration = write(f"{name}.conf", f"""
daemon off; user root; worker_processes 1; pid {folder}/{name}.pid; error_log {folder}/{name}.errors;
events {{}}
http {{ {temporary} access_log off; default_type text/plain; server {{ {server} location / {{ return 200 "constant\\n"; }} }} }}
""")
    return Program("nginx", "-p", folder, "-e", f"{folder}/{name}.errors", "-c", configuration, namespace=namespace)


def add_host(name, number):
    """A host with one cable to the bridge; returns its address."""
    address = f"198.18.{1 + number // 250}.{1 + number % 250}"
    run(f"ip netns add {name}")
    run(f"ip link add {name} type veth peer name eth0 netns {name}")
    run(f"ip link set {name} master bridge up")
    run(f"ip -n {name} link set lo up")
    run(f"ip -n {name} address add {address}/16 dev eth0")
    run(f"ip -n {name} link set eth0 up")
    run(f"ip -n {name} route add default via {GATEWAY}")
    return address


def add_uplinks(*devices):
    """Cables of the benchmark's own namespace to a router; the default route is on the first one."""
    run("ip netns add router")
    for number, device in enumerate(devices):
        run(f"ip link add {device} type veth peer name {device} netns router")
        run(f"ip address add 198.19.{number}.2/24 dev {device}")
        run(f"ip -n router address add 198.19.{number}.1/24 dev {device}")
        run(f"ip -n router link set {device} up")
        run(f"ip link set {device} up")
    run(f"ip route add default via 198.19.0.1 dev {devices[0]} metric 100")
