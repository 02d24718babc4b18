#!/bin/sh
# Boots systemd in a container on this system's files, and runs steps.sh in it: run.sh OLD.deb NEW.deb
#
# What the container writes is in memory and ends with it; its network has a loopback device only. Needs root and systemd-nspawn.
set -eu
here=$(dirname "$(readlink -f "$0")")
if [ "${1:-}" != --inside ]; then exec unshare --mount --propagation private "$0" --inside "$@"; fi

work=$(mktemp -d)
trap 'umount --recursive "$work" && rmdir "$work"' EXIT
mount -t tmpfs tmpfs "$work"
mkdir "$work/upper" "$work/work" "$work/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$work/upper,workdir=$work/work" "$work/root"
root=$work/root
mkdir -p "$root/package-test"
cp "$here/steps.sh" "$root/package-test/steps.sh"
cp "$2" "$root/package-test/old.deb"
cp "$3" "$root/package-test/new.deb"
# A machine for tests may forbid services to start with their packages.
rm -f "$root/usr/sbin/policy-rc.d"
# No time for the index of manual pages, nor for a disk that is memory.
rm -f "$root/var/lib/man-db/auto-update"
echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/package-test"
cat >"$root/etc/systemd/system/package-test.service" <<'UNIT'
[Unit]
Requires=basic.target dbus.service
After=basic.target dbus.service
SuccessAction=exit
FailureAction=exit
FailureActionExitStatus=1
[Service]
Type=oneshot
TimeoutStartSec=150
ExecStart=/bin/sh -eux /package-test/steps.sh
StandardOutput=file:/package-test/log
StandardError=inherit
UNIT
status=0
systemd-nspawn --quiet --register=no --keep-unit --private-network --machine="nhe-$$" --directory="$root" --boot \
    systemd.unit=package-test.service </dev/null >"$work/console" 2>&1 || status=$?
if [ "$status" -ne 0 ]; then
    cat "$work/console"
    cat "$root/package-test/log" || true
fi
exit "$status"
