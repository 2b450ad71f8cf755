-- Join an open chat, or any group with an invitation. Joining again changes nothing, and uses up
-- no invitation.
--
-- KEYS     chat              hash: the chat
--          members           zset: uid -> unix us when they came
--          visible_from      hash: uid -> first message they see, newest when they came
--          read_receipts     zset: uid -> message id
--          fetch_positions   zset: uid -> message id
--          invites           hash: SHA-256 of the secret -> uses left, expiry, uid
--          outbox            stream: the partition's events
--          removed           zset: uid -> unix ms
-- ARGV     cid           the chat's id
--          partition     the chat's partition
--          uid           who joins
--          sha           SHA-256 of the invitation's secret, or ''
--          members_max   CHAT_MEMBERS_MAX
--          outbox_max    OUTBOX_MAX
--          request_id
-- RETURNS  1, or 0 if they belong to it
-- ERRORS   NOCHAT, TAKENOUT, CHATINVITEBAD, CHATFULL, OVERLOADED
-- WRITES   members, visible_from, read_receipts, fetch_positions, invites, outbox
-- include chat/lua/includes/roles.lua
-- include chat/lua/includes/add_member.lua
-- include chat/members/lua/includes/invites.lua
-- include core/events/lua/includes/emit.lua

local kind = redis.call('HGET', chat, 'kind')
local uses_left, expires, creator = parse_invite(redis.call('HGET', invites, sha))
local invited = uses_left and uses_left > 0 and expires > now_ms()
if kind and is_member(members, uid) then return 0 end
if redis.call('ZSCORE', removed, uid) then return refuse('TAKENOUT', chat) end
if sha ~= '' and not (kind and invited) then return refuse('CHATINVITEBAD', chat) end
if not kind or kind ~= 'open' and not invited then return refuse('NOCHAT', chat) end
if redis.call('ZCARD', members) >= tonumber(members_max) then return refuse('CHATFULL', chat) end
local refusal = behind(outbox, outbox_max)
if refusal then return refusal end

if invited then
  local expires_text = id_text(expires)
  redis.call('HSET', invites, sha, uses_left - 1 .. ' ' .. expires_text .. ' ' .. creator)
end
local roster = {
  chat = chat, members = members, visible_from = visible_from,
  read_receipts = read_receipts, fetch_positions = fetch_positions,
}
add_member(roster, uid, redis.call('HGET', chat, 'shared') == '1')
emit(outbox, partition, 'type', 'chat_members', 'rid', request_id,
  'chat', cid, 'uids', uid, 'must_accept', '')
publish('c', cid)
return 1
