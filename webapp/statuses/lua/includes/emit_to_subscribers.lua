-- Emit an event about a post of `author` that is announced to the author's subscribers: there are
-- some, it answers nobody else, and it is neither for mentioned people only nor for a closed group.
-- `subscribers`: their list.
-- Needs EMITS in the header.
local function emit_to_subscribers(type, subscribers, id, author, reply_to, visibility)
  if reply_to and reply_to ~= author or visibility == 'm' or visibility == 'g' then return end
  if redis.call('EXISTS', subscribers) == 1 then emit(type, 'id', id, 'author', author) end
end
