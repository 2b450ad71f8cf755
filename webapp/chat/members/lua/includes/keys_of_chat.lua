-- Return all keys of a chat and its `cid`, as one table. `chats`: the prefix of chats' keys.
local function keys_of_chat(chats, cid)
  local keys = {chat = chats .. cid, cid = cid, records = chats .. cid .. ':search_records'}
  for _, name in ipairs({
    'members', 'owners', 'visible_from', 'messages', 'reactions', 'changes', 'postings',
    'read_receipts', 'sent', 'fetch_positions', 'invites', 'removed',
  }) do
    keys[name] = keys.chat .. ':' .. name
  end
  return keys
end
