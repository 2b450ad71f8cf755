-- Make a member an owner of a group chat, or take that back. The last owner stays one.
--
-- KEYS     chat      chat.chat(cid)
--          members   chat.chat_members(cid)
--          owners    chat.chat_owners(cid)
-- ARGV     uid       who acts
--          member    uid of the member
--          promote   1, or 0 to take it back
-- RETURNS  1, or 0 if that is so already
-- ERRORS   NOCHAT, NOTINCHAT, ONLYOWNERS, NOMEMBER, LASTOWNER, CHATOFGROUP
-- WRITES   owners

require_group_chat(chat)
require_member(chat, members, uid)
require_owner(chat, owners, uid)
require_unbound(chat)
if not is_member(members, member) then refuse('NOMEMBER', chat) end

if is_owner(owners, member) == (promote == '1') then return 0 end
if promote ~= '1' and redis.call('SCARD', owners) == 1 then refuse('LASTOWNER', chat) end
redis.call(promote == '1' and 'SADD' or 'SREM', owners, member)
publish('c', cid)
return 1
