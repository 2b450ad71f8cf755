#!/bin/sh
# Join the servers of NODES ("address:port …") to a Cluster with a replica for each primary, unless they are joined.
#
#   STORE_PASSWORD  the password of the servers
#   NODES           an even number, six at least; the first half become primaries
set -eu

cli=${CLI:-valkey-cli}
export REDISCLI_AUTH="$STORE_PASSWORD"

state() {
	"$cli" -h "${1%:*}" -p "${1##*:}" cluster info | tr -d '\r' | sed -n 's/^cluster_state://p'
}

first=${NODES%% *}
if [ "$(state "$first")" != ok ]; then
	# It refuses servers that know others, so a second start at the same time changes nothing.
	# shellcheck disable=SC2086
	"$cli" --cluster create $NODES --cluster-replicas 1 --cluster-yes
fi
until [ "$(state "$first")" = ok ]; do sleep 1; done
echo "The Cluster of $first is ready."
