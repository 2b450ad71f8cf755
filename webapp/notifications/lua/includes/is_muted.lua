-- Return true if the recipient has muted the conversation of a status, or hidden a reply above it.
-- `thread`: ids of the status and of those above it, spaced. `status`: a hash, nil for none.
local function is_muted(thread, conversation, status, hidden_replies, muted_conversations)
  for id in string.gmatch(thread, '%d+') do
    if redis.call('ZSCORE', hidden_replies, id) then return true end
  end
  return redis.call('ZSCORE', muted_conversations, conversation)
    or status and redis.call('ZSCORE', muted_conversations, conversation_of(status))
end
