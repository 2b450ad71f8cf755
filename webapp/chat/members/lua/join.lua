-- Purpose: join an open chat, or any group with an invitation. Again is no change, and takes no place of the invitation.
-- KEYS: 1 to 12 = store.names
-- ARGV: 1 = cid  2 = partition  3 = uid  4 = SHA-256 of the invitation's secret, or ''  5 = CHAT_MEMBERS_MAX  6 = OUTBOX_MAX  7 = rid
-- Returns: 1, or 0 when they belong to it already   Errors: NOCHAT, TAKENOUT, CHATINVITEBAD, CHATFULL, OVERLOADED
-- Writes: all keys but messages
-- include chat/lua/includes/add_member.lua
local cid, partition, uid, sha, most, max, rid = unpack(ARGV)
local kind = field('kind')
local left, expires, by = string.match(redis.call('HGET', invites, sha) or '', '^(%d+) (%d+) (%d+)$')
local valid = left and tonumber(left) > 0 and tonumber(expires) > now_ms()
if kind and belongs(uid) then return 0 end
if redis.call('ZSCORE', removed, uid) then return refuse('TAKENOUT') end
if sha ~= '' and not (kind and valid) then return refuse('CHATINVITEBAD') end
if not kind or kind ~= 'open' and not valid then return refuse('NOCHAT') end
if redis.call('ZCARD', members) >= tonumber(most) then return refuse('CHATFULL') end
local refusal = behind(outbox, max)
if refusal then return refusal end
if valid then redis.call('HSET', invites, sha, (tonumber(left) - 1) .. ' ' .. expires .. ' ' .. by) end
enter(uid, field('shared') == '1')
emit(outbox, partition, 'type', 'chat_members', 'rid', rid, 'chat', cid, 'uids', uid, 'asked', '')
nudge('c', cid)
return 1
