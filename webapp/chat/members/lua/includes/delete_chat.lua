-- Delete a chat with all that it has, and tell its members.
-- `context` is a table of all keys of the chat, its `cid` and its `partition`; `uids` is spaced.
-- include chat/lua/includes/chat.lua
-- include core/events/lua/includes/emit.lua
local function delete_chat(context, uids, request_id)
  redis.call('UNLINK', context.chat, context.members, context.owners, context.visible_from,
    context.messages, context.reactions, context.changes, context.read_receipts,
    context.sent, context.fetch_positions, context.invites, context.removed,
    context.postings, context.records)
  emit(context.outbox, context.partition, 'type', 'chat_deleted', 'rid', request_id,
    'chat', context.cid, 'uids', uids)
  publish('c', context.cid)
end
