-- Purpose: post a status: make its id, write it into the author's profile and home, and tell the worker. Once for each form key.
-- KEYS: 1 = keys.user  2 = keys.last_id  3 = keys.posted  4 = keys.profile  5 = keys.home  6 = keys.outbox
--       7 = keys.status_prefix  8 = keys.active  9 = keys.post_limit  10 = keys.draft  11 = keys.drafts  12 = keys.later
--       13 = keys.replied  14 = keys.blocks  15 = keys.blockers  16 = keys.uploads  17 = keys.limited_prefix  18 = keys.ending
-- ARGV: 1 = uid  2 = partition  3 = text  4 = entities, JSON  5 = life of the form key, seconds  6 = HOME_MAX  7 = HOME_SLACK
--       8 = OUTBOX_MAX  9 = rid  10 = acts of the limit, 0 for none  11 = in how many seconds  12 = the form's key,
--       whose draft goes  13 = when that draft was saved if it is the draft that is posted, else ''; then more fields of
--       the status and their values, '' for none: `reply`, `to`, `above`, `to_login` and `media` first
-- Returns: the id; minus the seconds to wait   Errors: NOMEMBER, SUSPENDED, CANNOTREPLY, EARLY, OVERLOADED, NODRAFT, NOUPLOAD
-- Writes: KEYS 2 to 6, 9 to 13, 16 and 18, a status below KEYS[7], and lists below KEYS[17]
-- include core/store/lua/includes/ids.lua
-- include accounts/lua/includes/require_active.lua
-- include core/web/lua/includes/gcra.lua
-- include core/events/lua/includes/emit.lua
-- include timelines/lua/includes/trim.lua
-- include statuses/drafts/lua/includes/remove_draft.lua
-- include statuses/lua/includes/event_mentions.lua
-- include statuses/lua/includes/event_fields.lua
-- include statuses/visibility/lua/includes/restricted_lists.lua
-- include statuses/attachments/lua/includes/staged_pictures.lua
-- include statuses/polls/lua/includes/poll_end.lua
local user, last, posted, profile, home, outbox, statuses, active, limit, draft, drafts, later = unpack(KEYS, 1, 12)
local replied, blocks, blockers, uploads, limited, ending = unpack(KEYS, 13)
local uid, partition, text, entities, life, cap, slack, max, rid, burst, period, form, saved = unpack(ARGV, 1, 13)
local reply, _, to, _, _, _, _, _, media = unpack(ARGV, 15, 23)
if saved ~= '' and redis.call('HGET', draft, 'saved') ~= saved then return redis.error_reply('NODRAFT ' .. form) end
local before = redis.call('GET', posted)
if before then return forget_draft(draft, drafts, later, uid, form) and before end
local refusal = barred(user, uid) or not_uploaded(uploads, media) or behind(outbox, max)
if refusal then return refusal end
local apart = reply ~= '' and (redis.call('ZSCORE', blocks, to) or redis.call('ZSCORE', blockers, to))
if apart then return redis.error_reply('CANNOTREPLY ' .. to) end
-- What is answered is older than the answer, so that no thread runs in a circle. Servers' clocks may differ by a minute.
local ahead = reply ~= '' and tonumber(reply) > tonumber(next_id(false, now_ms() + 60000, 0))
if ahead then return redis.error_reply('EARLY ' .. reply) end
local newest = id_text(math.max(tonumber(redis.call('GET', last) or 0), tonumber(reply) or 0))
local id = next_id(newest, now_ms(), tonumber(partition))
local wait = burst == '0' and 0 or consume(limit, tonumber(burst), tonumber(period))
if wait > 0 then return -wait end
redis.call('SET', last, id)
redis.call('SET', posted, id, 'EX', life)
redis.call('HSET', statuses .. id, 'author', uid, 'text', text, 'entities', entities)
take_up(uploads, media)
for index = 14, #ARGV, 2 do
  if ARGV[index + 1] ~= '' then redis.call('HSET', statuses .. id, ARGV[index], ARGV[index + 1]) end
end
local vis, who, poll = unpack(redis.call('HMGET', statuses .. id, 'vis', 'who', 'poll'))
file(profile, replied, limited, uid, id, to, vis, who)
if poll then redis.call('ZADD', ending, ends_at(id, poll), id) end
if redis.call('ZSCORE', active, uid) then -- otherwise the next visit builds the home anew
  redis.call('ZADD', home, id, id .. ':' .. uid)
  trim(home, tonumber(cap), tonumber(slack))
end
forget_draft(draft, drafts, later, uid, form)
emit(outbox, partition, unpack(telling({'type', 'posted', 'rid', rid, 'id', id, 'author', uid}, statuses .. id, entities)))
return id
