-- Tell the open pages of a chat that a member is writing or is present.
--
-- KEYS     chat      chat.chat(cid)
--          members   chat.chat_members(cid)
-- ARGV     uid    the member
--          hint   t: is writing, p: is here
-- ERRORS   NOTINCHAT
-- WRITES   nothing

require_member(chat, members, uid)
publish(hint, cid, uid)
return 1
