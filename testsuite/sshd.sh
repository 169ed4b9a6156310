# SPDX-License-Identifier: GPL-2.0-or-later
# What cases with an sshd of their own share: its key is `host`, that of the one who may log in is `key`; $SPILE_SSH logs in as root
# where a line of the file `known` has the host.
for tool in /usr/sbin/sshd ssh ssh-keygen; do
	command -v $tool >/dev/null || skip "$tool is not installed"
done
ssh-keygen -q -t ed25519 -N '' -f key && ssh-keygen -q -t ed25519 -N '' -f host || fail "no keys"
# sshd_conf FOLDER: the configuration; its sessions have that folder for temporary files.
sshd_conf()
{
	cat <<E
HostKey $PWD/host
AuthorizedKeysFile $PWD/key.pub
StrictModes no
PermitRootLogin prohibit-password
PidFile none
UsePAM no
SetEnv TMPDIR=$1
E
}
# known_host NAME: a line for the file `known`.
known_host() { echo "$1 $(cut -d' ' -f1,2 host.pub)"; }
export SPILE_SSH="ssh -F none -oUser=root -oIdentityFile=$PWD/key -oIdentitiesOnly=yes -oUserKnownHostsFile=$PWD/known -oStrictHostKeyChecking=yes"
answers() { $SPILE_SSH -oBatchMode=yes -oConnectTimeout=10 "$@" true; }
