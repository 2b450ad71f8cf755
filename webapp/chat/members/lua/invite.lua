-- Purpose: make an invitation to a group, or revoke one; spent and expired ones go. Owners, and members of what is not announced.
-- KEYS: 1 to 12 = store.names
-- ARGV: 1 = uid  2 = SHA-256 of its secret  3 = for how many, '' to revoke it  4 = for how long, ms  5 = CHAT_INVITES_MAX
-- Returns: 1, or 0 when there is none to revoke   Errors: NOCHAT, NOTINCHAT, ONLYOWNERS, CHATINVITESFULL   Writes: invites
-- include chat/lua/includes/chat_context.lua
local uid, sha, uses, life, most = unpack(ARGV)
local kind, now = field('kind'), now_ms()
if not kind or kind == 'direct' then return refuse('NOCHAT') end
if not belongs(uid) then return refuse('NOTINCHAT') end
if kind == 'announcement' and not owns(uid) then return refuse('ONLYOWNERS') end
local all = redis.call('HGETALL', invites)
for index = 1, #all, 2 do
  local left, expires, by = string.match(all[index + 1], '^(%d+) (%d+) (%d+)$')
  if left == '0' or tonumber(expires) <= now then redis.call('HDEL', invites, all[index]) end
  if uses == '' and all[index] == sha and by ~= uid and not owns(uid) then return refuse('ONLYOWNERS') end
end
if uses == '' then return redis.call('HDEL', invites, sha) end
if redis.call('HLEN', invites) >= tonumber(most) then return refuse('CHATINVITESFULL') end
redis.call('HSET', invites, sha, uses .. ' ' .. id_text(now + tonumber(life)) .. ' ' .. uid)
return 1
