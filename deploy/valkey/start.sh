#!/bin/sh
# Start Valkey (`start.sh valkey`) or a Sentinel (`start.sh sentinel`); further words are options of the server.
#
# Both write into their configuration what they learn: after a failover, who the primary is. So the first start
# copies the file of this folder to DATA (/data), with what differs between servers. Change the copy later on.
#
#   STORE_PASSWORD  the password of the servers and of the Sentinels
#   STORE_ADDRESS   the address at which the others reach this one
#   REPLICA_OF      address and port of the first primary, for its replica
set -eu
umask 077

kind=$1
shift
folder=${DATA:-/data}
file=$folder/$kind.conf

if [ ! -e "$file" ]; then
	{
		cat "$(dirname "$0")/$kind.conf"
		echo "dir $folder"
		echo "requirepass $STORE_PASSWORD"
		if [ "$kind" = valkey ]; then
			echo "masterauth $STORE_PASSWORD"
			echo "replica-announce-ip $STORE_ADDRESS"
			[ -z "${REPLICA_OF:-}" ] || echo "replicaof $REPLICA_OF"
		else
			echo "sentinel auth-pass linnet $STORE_PASSWORD"
			echo "sentinel sentinel-pass $STORE_PASSWORD"
			echo "sentinel announce-ip $STORE_ADDRESS"
		fi
	} >"$file.new"
	mv "$file.new" "$file"
fi

if [ "$kind" = sentinel ]; then set -- --sentinel "$@"; fi
exec "${SERVER:-valkey-server}" "$file" "$@"
