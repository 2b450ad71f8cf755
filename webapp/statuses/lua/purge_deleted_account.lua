-- Erase the oldest statuses of a deleted account, with their likes, versions, replies and quotes.
--
-- KEYS     user                accounts.user(uid)
--          list                zset: one of the account's lists of statuses
--          pinned              statuses.edits.pinned_statuses(uid)
--          poll_deadlines      statuses.polls.poll_deadlines(uid)
--          restricted_prefix   statuses.restricted_statuses(uid, '')
--          status_prefix       statuses.status.prefix(uid)
--          likers_prefix       statuses.interactions.likers.prefix(uid)
--          replies_prefix      statuses.threads.replies.prefix(uid)
--          thread_prefix       statuses.threads.thread.prefix(uid)
--          versions_prefix     statuses.edits.status_versions.prefix(uid)
--          votes_prefix        statuses.polls.votes.prefix(uid)
--          quotes_prefix       statuses.quotes.quotes.prefix(uid)
--          detached_prefix     statuses.quotes.detached_quotes.prefix(uid)
--          views_prefix        statuses.view_counts.views.prefix(uid)
-- ARGV     limit   statuses
-- RETURNS  how many statuses were erased
-- WRITES   all keys but user
-- FENCED

if redis.call('HEXISTS', user, 'login') == 1 then return 0 end -- an account that exists

local prefixes = {
  status_prefix, likers_prefix, replies_prefix, thread_prefix, versions_prefix, votes_prefix,
  quotes_prefix, detached_prefix, views_prefix,
}
local entries = redis.call('ZRANGE', list, 0, limit - 1)
for _, entry in ipairs(entries) do
  local id = string.match(entry, '^%d+')
  local reply_to, visibility, mentioned =
    unpack(redis.call('HMGET', status_prefix .. id, 'reply_to_uid', 'visibility', 'mentioned'))
  if is_restricted(visibility) then
    remove_from_restricted_lists(restricted_prefix, uid, id, reply_to, visibility, mentioned)
  end
  for _, prefix in ipairs(prefixes) do redis.call('UNLINK', prefix .. id) end
  redis.call('ZREM', poll_deadlines, id)
  redis.call('ZREM', list, entry)
  redis.call('ZREM', pinned, id)
end
return #entries
