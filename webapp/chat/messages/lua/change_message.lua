-- Edit one's own message, or delete one for everybody: one's own, or any as an owner.
-- A new text marks the message as edited and has a time limit. Descriptions of pictures do neither.
--
-- KEYS     owners         chat.chat_owners(cid)
--          reactions      chat.chat_reactions(cid)
--          changes        chat.chat_changes(cid)
--          postings       chat.search.chat_postings(cid)
--          records        chat.search.chat_search_records(cid)
-- ARGV     uid           who acts
--          message_id
--          old_body      the message as it was read, '' to delete it
--          new_body      what it becomes, JSON without `by` and `at`
--          keeps_text    1 if only descriptions of its pictures change, or ''
--          record        its words and terms, for the index
--          terms         spaced
--          edit_window   for how long the text of a message may be edited, ms
-- RETURNS  1, or 0 if it is deleted already
-- ERRORS   NOTINCHAT, NOMESSAGE, NOTYOURS, ONLYOWNERS, TOOLATE, MESSAGECHANGED
-- WRITES   chat, messages, reactions, changes, postings, records
-- EMITS    chat_pictures_removed, message_deleted
-- include chat/lua/includes/reader.lua

require_member(chat, members, uid)
local body = visible_message(messages, visible_from, uid, message_id)
if not body then refuse('NOMESSAGE', chat) end
local message = cjson.decode(body)
local is_author = id_text(message.by) == uid
local is_edit = old_body ~= ''
if not is_author and (is_edit or not is_owner(owners, uid)) then refuse('NOTYOURS', chat) end
if is_edit then require_writer(chat, owners, uid) end
if message.gone then return is_edit and refuse('NOMESSAGE', chat) or 0 end

local now, index = now_ms(), {postings = postings, records = records}
local head = '{"by":' .. id_text(message.by) .. ',"at":' .. id_text(message.at)
if is_edit then
  local edited = message.edited
  if keeps_text == '' then
    if now - message.at > tonumber(edit_window) then refuse('TOOLATE', chat) end
    edited = now
  end
  if body ~= old_body then refuse('MESSAGECHANGED', chat) end
  if edited then head = head .. ',"edited":' .. id_text(edited) end
  redis.call('HSET', messages, message_id, head .. ',' .. string.sub(new_body, 2))
  index_message(index, message_id, {record = record, terms = terms})
else
  refuse_when_behind()
  redis.call('HSET', messages, message_id, head .. ',"gone":' .. id_text(now) .. '}')
  redis.call('HDEL', reactions, message_id)
  unindex_messages(index, {message_id})
  remove_pictures(cid, picture_names({body}))
  emit('message_deleted', 'chat', cid, 'id', message_id, 'uid', id_text(message.by))
end
mark_changed(chat, changes, cid, message_id)
return 1
