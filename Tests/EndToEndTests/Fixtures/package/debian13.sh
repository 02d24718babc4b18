#!/bin/sh
# Installs a package with the dpkg of a root of Debian 13, and runs a command in it: debian13.sh ROOT PACKAGE.deb COMMAND…
#
# What is written there is in memory and ends with the command, which sees this system's folder for temporary files. Needs root.
set -eu
if [ "$1" != --inside ]; then exec unshare --mount --propagation private "$0" --inside "$@"; fi
root=/mnt/root
mount -t tmpfs tmpfs /mnt
mkdir /mnt/upper /mnt/work "$root"
mount -t overlay overlay -o "lowerdir=$2,upperdir=/mnt/upper,workdir=/mnt/work" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
cp "$3" "$root/package.deb"
shift 3
chroot "$root" dpkg --install /package.deb >&2
mount --bind /tmp "$root/tmp"
exec chroot "$root" "$@"
