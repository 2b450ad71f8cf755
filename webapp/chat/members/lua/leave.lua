-- Leave a group chat, or remove a member as an owner. Only deleted accounts leave a direct chat.
--
-- KEYS     chats       chat.chat.prefix(cid)
--          suspended   accounts.suspended_members(partition)
-- ARGV     uid               who acts
--          member            uid of who goes
--          account_deleted   1 if the account of `member` is deleted
-- RETURNS  1, or 0 if they do not belong to it
-- ERRORS   NOCHAT, NOTINCHAT, ONLYOWNERS, CHATOFGROUP
-- EMITS    chat_deleted, chat_pictures_removed, chat_members

local REMOVED_MAX = 1000
local chat = keys_of_chat(chats, cid)

local function check()
  require_group_chat(chat.chat)
  if uid ~= member then
    require_member(chat.chat, chat.members, uid)
    require_owner(chat.chat, chat.owners, uid)
    require_unbound(chat.chat)
  end
  refuse_when_behind()
end

if account_deleted ~= '1' then check() end
if not is_member(chat.members, member) then return 0 end

chat.suspended = suspended
remove_member(chat, member)
if uid ~= member and redis.call('HEXISTS', chat.chat, 'kind') == 1 then -- not to come back alone
  redis.call('ZADD', chat.removed, id_text(now_ms()), member)
  redis.call('ZREMRANGEBYRANK', chat.removed, 0, -REMOVED_MAX - 1)
end
return 1
