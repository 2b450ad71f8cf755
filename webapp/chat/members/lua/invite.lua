-- Make an invitation to a group chat, or revoke one. Used-up and expired ones go.
--
-- KEYS     chat      chat.chat(cid)
--          members   chat.chat_members(cid)
--          owners    chat.chat_owners(cid)
--          invites   chat.members.chat_invites(cid)
-- ARGV     uid        who acts
--          sha        SHA-256 of the secret
--          uses       for how many people, '' to revoke it
--          lifetime   ms
--          limit      CHAT_INVITES_MAX
-- RETURNS  1, or 0 if there is none to revoke
-- ERRORS   NOCHAT, NOTINCHAT, ONLYOWNERS, CHATINVITESFULL, CHATOFGROUP
-- WRITES   invites

require_group_chat(chat)
require_member(chat, members, uid)
require_writer(chat, owners, uid)
require_unbound(chat)

local now = now_ms()
for _, entry in ipairs(list_invites(invites)) do
  local uses_left, expires, creator = parse_invite(entry[2])
  if uses_left == 0 or expires <= now then redis.call('HDEL', invites, entry[1]) end
  if uses == '' and entry[1] == sha and creator ~= uid and not is_owner(owners, uid) then
    refuse('ONLYOWNERS', chat)
  end
end

if uses == '' then return redis.call('HDEL', invites, sha) end
if redis.call('HLEN', invites) >= tonumber(limit) then refuse('CHATINVITESFULL', chat) end
local expires = id_text(now + tonumber(lifetime))
redis.call('HSET', invites, sha, uses .. ' ' .. expires .. ' ' .. uid)
return 1
