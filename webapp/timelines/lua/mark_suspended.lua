-- Note in a partition whether an author is suspended, for the script that reads homes there.
--
-- KEYS     suspended   accounts.suspended_members(partition)
-- ARGV     author         uid
--          is_suspended   1 or 0
-- RETURNS  1 if that changed something, else 0
-- FENCED

return redis.call(is_suspended == '1' and 'SADD' or 'SREM', suspended, author)
