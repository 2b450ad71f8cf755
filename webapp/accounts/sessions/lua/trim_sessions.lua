-- Remove a partition's expired sessions and, above its share, the least recently seen; and the old
-- entries of the operator's security log.
--
-- KEYS     sessions            accounts.sessions(partition)
--          session_prefix      accounts.session(partition, '')
--          security_entries    accounts.security_log.security_entries(partition)
--          security_failures   accounts.security_log.security_failures(partition)
-- ARGV     share   most sessions of the partition
--          ttl     seconds
-- RETURNS  how many sessions were removed

local BATCH, KEPT_MS = 1000, 90 * 86400000 -- sessions of one call; of the log's entries
local oldest_kept = id_text(now_ms() - KEPT_MS)
redis.call('XTRIM', security_entries, 'MINID', oldest_kept)
redis.call('XTRIM', security_failures, 'MINID', oldest_kept)

local oldest_alive = math.floor(now_ms() / 1000) - tonumber(ttl)
local expired = redis.call('ZCOUNT', sessions, '-inf', oldest_alive)
local surplus = redis.call('ZCARD', sessions) - tonumber(share)
local count = math.min(math.max(expired, surplus), BATCH)
if count <= 0 then return 0 end

local removed = redis.call('ZPOPMIN', sessions, count)
for i = 1, #removed, 2 do redis.call('DEL', session_prefix .. removed[i]) end -- shas and scores
return count
