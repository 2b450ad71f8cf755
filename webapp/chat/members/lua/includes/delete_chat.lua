-- Delete a chat with all that it has, and tell its members.
-- `context` is a table of all keys of the chat, and its `cid`; `uids` is spaced.
local function delete_chat(context, uids)
  redis.call('UNLINK', context.chat, context.members, context.owners, context.visible_from,
    context.messages, context.reactions, context.changes, context.read_receipts,
    context.sent, context.fetch_positions, context.invites, context.removed,
    context.postings, context.records)
  emit('chat_deleted', 'chat', context.cid, 'uids', uids)
  publish('c', context.cid)
end
