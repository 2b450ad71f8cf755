-- Index messages that were sent before there was an index, unless they have changed meanwhile.
--
-- KEYS     messages   chat.chat_messages(cid)
--          postings   chat.search.chat_postings(cid)
--          records    chat.search.chat_search_records(cid)
-- ARGV     documents...   for each message: its id, JSON as it was read, record and terms
-- RETURNS  how many were indexed
-- WRITES   postings, records

local index, count = {postings = postings, records = records}, 0
for place = 1, #documents, 4 do
  local id, body, record, terms = unpack(documents, place, place + 3)
  -- Who changes or removes a message brings the index up to date in the same script.
  if redis.call('HGET', messages, id) == body then
    index_message(index, id, {record = record, terms = terms})
    count = count + 1
  end
end
return count
