-- Join an open chat, or any group chat with an invitation. Joining again changes nothing, and does
-- not count as a use of the invitation.
--
-- KEYS     invites           chat.members.chat_invites(cid)
--          removed           chat.members.chat_removed(cid)
-- ARGV     uid           who joins
--          sha           SHA-256 of the invitation's secret, or ''
--          members_max   config.chat_members_max
-- RETURNS  1, or 0 if they belong to it
-- ERRORS   NOCHAT, TAKENOUT, CHATINVITEBAD, CHATFULL
-- WRITES   invites
-- EMITS    chat_members
-- include chat/lua/includes/roster.lua

local kind = redis.call('HGET', chat, 'kind')
local uses_left, expires, creator = parse_invite(redis.call('HGET', invites, sha))
local invited = uses_left and uses_left > 0 and expires > now_ms()
if kind and is_member(members, uid) then return 0 end
if redis.call('ZSCORE', removed, uid) then refuse('TAKENOUT', chat) end
if sha ~= '' and not (kind and invited) then refuse('CHATINVITEBAD', chat) end
if not kind or kind ~= 'open' and not invited then refuse('NOCHAT', chat) end
if redis.call('ZCARD', members) >= tonumber(members_max) then refuse('CHATFULL', chat) end
refuse_when_behind()

if invited then
  local expires_text = id_text(expires)
  redis.call('HSET', invites, sha, uses_left - 1 .. ' ' .. expires_text .. ' ' .. creator)
end
add_member(roster, uid, redis.call('HGET', chat, 'shared') == '1')
emit('chat_members', 'chat', cid, 'uids', uid, 'must_accept', '')
publish('c', cid)
return 1
