-- Add a post of another site to its author's profile, at its old date. The same one again is not
-- added twice, but belongs to the later import: of its ids, it has the first that no other had.
--
-- KEYS     posts               statuses.profile_statuses(uid)
--          replies             statuses.profile_replies(uid)
--          media               statuses.profile_media(uid)
--          restricted_prefix   statuses.restricted_statuses(uid, '')
--          status_prefix       statuses.status.prefix(uid)
--          deleted_imports     statuses.deleted_imports(uid)
-- ARGV     ids         that it may have, the best first, separated by blanks
--          source      its id on the other site
--          flagged     a word in it that moderators want to see, or ''
--          fields...   names and values of the status's fields
-- RETURNS  its id
-- ERRORS   NOMEMBER, SUSPENDED, IMPORTFULL
-- WRITES   all keys but deleted_imports
-- EMITS    imported

require_active()
refuse_when_behind()
local field = thread_posts(fields, '')[1]
for id in string.gmatch(ids, '%d+') do
  local status = status_prefix .. id
  local imported, author = unpack(redis.call('HMGET', status, 'imported', 'author'))
  if author == uid and imported and string.match(imported, ' (.*)$') == source then
    redis.call('HSET', status, 'imported', field.imported)
    return id
  end
  if not author and redis.call('SISMEMBER', deleted_imports, id) == 0 then
    redis.call('HSET', status, unpack(names_and_values(field)))
    add_to_profile(posts, replies, media, restricted_prefix, id, field)
    emit('imported', unpack(posted_event(id, field, read_author(member), nil, flagged)))
    return id
  end
end
refuse('IMPORTFULL')
