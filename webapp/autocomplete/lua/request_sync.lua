-- Ask the worker to sync members with the index of names.
--
-- KEYS     prefix   accounts.user.prefix(partition)
-- ARGV     event_type   rank_changed, or reindex_requested for their hashtags too
--          request_id
--          outbox_max   events that may wait, '' to ask for it however many do
--          uids...
-- RETURNS  how many of them have an account
-- WRITES   nothing
-- EMITS    rank_changed, reindex_requested

if outbox_max ~= '' then refuse_when_behind() end
local count = 0
for _, uid in ipairs(uids) do
  if redis.call('HEXISTS', prefix .. uid, 'login') == 1 then
    emit(event_type, 'uid', uid)
    count = count + 1
  end
end
return count
