-- Delete a member's own status with its likes, versions, replies list and quotes list, and emit
-- `deleted`. Its pictures are to be removed.
--
-- KEYS     status              statuses.status(id)
--          user                accounts.user(uid)
--          posts               statuses.profile_statuses(uid)
--          replies             statuses.profile_replies(uid)
--          media               statuses.profile_media(uid)
--          restricted_prefix   statuses.restricted_statuses(uid, '')
--          home                accounts.home(uid)
--          pinned              statuses.edits.pinned_statuses(uid)
--          uploads             statuses.attachments.uploads(uid)
--          poll_deadlines      statuses.polls.poll_deadlines(uid)
--          likers              statuses.interactions.likers(id)
--          boosters            statuses.interactions.boosters(id)
--          status_replies      statuses.threads.replies(id)
--          thread              statuses.threads.thread(id)
--          versions            statuses.edits.status_versions(id)
--          votes               statuses.polls.votes(id)
--          quotes              statuses.quotes.quotes(id)
--          detached            statuses.quotes.detached_quotes(id)
--          views               statuses.view_counts.views(id)
--          deleted_imports     statuses.deleted_imports(uid)
--          post_subscribers    following.post_subscribers(uid)
--          auto_delete         statuses.auto_delete.auto_delete(uid)
--          kept...             lists of the member: a status on one of them stays
-- ARGV     rule?   of the automatic deletion that asks for it: the status stays if it has changed,
--                  or if the member is suspended
-- RETURNS  its media, JSON, or ''
-- ERRORS   NOSTATUS, NOTYOURS, STATUSKEPT
-- WRITES   all keys but user, boosters, post_subscribers, auto_delete, kept
-- EMITS    deleted, withdrawn

local author, reply_to, entities, pictures, visibility, mentioned, imported = unpack(redis.call(
  'HMGET', status, 'author', 'reply_to_uid', 'entities', 'media', 'visibility', 'mentioned',
  'imported'))
require_own(uid, id, author, visibility, user)
refuse_when_behind()
if rule and (redis.call('HGET', auto_delete, 'rule') ~= rule
  or redis.call('HEXISTS', user, 'suspended') == 1) then
  refuse('STATUSKEPT', id)
end
for _, list in ipairs(kept) do
  if redis.call('ZSCORE', list, id) then refuse('STATUSKEPT', id) end
end

local event = {'id', id, 'author', author}
add_status_fields(event, status, entities)
-- Pages of replies, of quotes and of those who boosted it show it too.
if redis.call('EXISTS', thread, boosters, quotes, detached) > 0 then add(event, 'referenced', 1) end

release_pictures(uploads, pictures)
redis.call('DEL', status)
if imported then redis.call('SADD', deleted_imports, id) end
redis.call('UNLINK', likers, status_replies, thread, versions, votes, quotes, detached, views)
redis.call('ZREM', poll_deadlines, id)
redis.call('ZREM', posts, id)
redis.call('ZREM', media, id)
redis.call('ZREM', pinned, id)
redis.call('ZREM', home, id .. ':' .. uid)
if reply_to then redis.call('ZREM', replies, id .. ':' .. reply_to) end
if is_restricted(visibility) then
  remove_from_restricted_lists(restricted_prefix, uid, id, reply_to, visibility, mentioned)
end
emit('deleted', unpack(event))
emit_to_subscribers('withdrawn', post_subscribers, id, uid, reply_to, visibility)
return pictures or ''
