# Installs, starts, upgrades, removes and purges the package; the first command that fails ends it. Runs in run.sh's container.
cd /package-test
export DEBIAN_FRONTEND=noninteractive
unit=network-health-exporter.service
defaults=/etc/default/network-health-exporter
database=/var/lib/network-health-exporter/network-health.db
healthy() { curl -fsS --retry 100 --retry-connrefused --retry-delay 1 --max-time 20 "http://127.0.0.1:$1/-/healthy"; }
pid() { systemctl show --property=MainPID --value $unit; }
trap '[ $? -eq 0 ] || journalctl --no-pager --unit=$unit' EXIT

dpkg -i old.deb
healthy 10319
systemctl is-enabled $unit
[ "$(ps -o user:64= -p "$(pid)")" = network-health-exporter ]
id network-health-exporter
grep -q 'CapEff:.0000000000000000' "/proc/$(pid)/status"
# It listens before it watches the network.
until curl -fsS --max-time 5 http://127.0.0.1:10319/metrics >metrics &&
    grep -q '^network_health_monitor_backend_up{backend="netlink"} 1' metrics; do
    sleep 0.1
done
test -s $database
network-health-exporter --version
man --warnings network-health-exporter >manual
test -s manual
bash -c '. /usr/share/bash-completion/completions/network-health-exporter'

: "its configuration survives an upgrade, which restarts it"
echo NHE_WEB_LISTEN_ADDRESS=127.0.0.1:10399 >>$defaults
first=$(pid)
systemctl restart $unit
healthy 10399
second=$(pid)
[ "$first" != "$second" ]
dpkg --force-confold -i new.deb
healthy 10399
[ "$(pid)" != "$second" ]
systemctl reload $unit
[ "$(systemctl show --property=NRestarts --value $unit)" = 0 ]

: "the socket starts it"
echo NHE_WEB_SYSTEMD_SOCKET=true >>$defaults
systemctl stop $unit
systemctl start network-health-exporter.socket
if systemctl is-active $unit; then exit 1; fi
healthy 10319
systemctl is-active $unit

: "an administrator who disabled it keeps it disabled"
systemctl disable $unit
dpkg --force-confold -i new.deb
if systemctl is-enabled $unit; then exit 1; fi

: "a removal keeps configuration and results, a purge does not"
dpkg --remove network-health-exporter
if systemctl is-active $unit network-health-exporter.socket; then exit 1; fi
test -s $database
test -s $defaults

: "installed again, it is not masked"
dpkg --force-confold -i new.deb
[ "$(systemctl show --property=LoadState --value $unit)" = loaded ]
[ "$(systemctl show --property=LoadState --value network-health-exporter.socket)" = loaded ]
systemctl start network-health-exporter.socket
healthy 10319
dpkg --remove network-health-exporter
dpkg --purge network-health-exporter
# The pages that man has shown are its own.
rest=$(find /etc /usr /var -xdev -iname '*network-health-exporter*' ! -path '/var/cache/man/*' ! -path '/var/tmp/*')
[ -z "$rest" ]
dpkg -i old.deb
healthy 10319
dpkg --purge network-health-exporter
systemctl --failed --quiet
[ -z "$(systemctl --failed --no-legend)" ]
