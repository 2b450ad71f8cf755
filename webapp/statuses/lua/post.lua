-- Post a status, or all posts of a thread, each in reply to the one before: make its id, add it to
-- the author's lists and home, and emit `posted`. The same form key and text post once.
--
-- KEYS     last_id             statuses.last_status_id(uid)
--          idempotency         statuses.post_idempotency(uid, digest)
--          posts               statuses.profile_statuses(uid)
--          replies             statuses.profile_replies(uid)
--          media               statuses.profile_media(uid)
--          restricted_prefix   statuses.restricted_statuses(uid, '')
--          home                accounts.home(uid)
--          status_prefix       statuses.status.prefix(uid)
--          active_members      accounts.active_members(uid)
--          rate_limit          core.web.member_limit(uid, 'post')
--          draft               statuses.drafts.draft(uid, form_key)
--          drafts              statuses.drafts.drafts(uid)
--          scheduled           statuses.drafts.scheduled_posts(uid)
--          post_subscribers    following.post_subscribers(uid)
--          uploads             statuses.attachments.uploads(uid)
--          poll_deadlines      statuses.polls.poll_deadlines(uid)
-- ARGV     idempotency_seconds   life of the form key
--          home_max              config.home_max   entries
--          home_slack            config.home_slack   entries
--          burst                 posts of the rate limit, 0 for none
--          period                of the rate limit, seconds
--          form_key              its draft is removed, and so are the draft's pictures; one that
--                                is not autosaved stays, unless it is posted or replaced
--          draft_saved           when the draft was saved, if it is the draft that is posted; or ''
--          replaces              1 if the form shows that draft, or ''
--          network               hash of the network it comes from, or '' if that is not known
--          more                  fields of a thread's further posts, JSON, or ''
--          path_max              steps of a path in `ancestors`
--          flagged               for each post a word that moderators want to see; JSON, or ''
--          fields...             names and values of the status's fields
-- RETURNS  the ids, a blank between them; minus the seconds to wait if the rate limit is reached
-- ERRORS   NOMEMBER, SUSPENDED, CANNOTREPLY, NODRAFT, NOUPLOAD
-- WRITES   all keys but active_members, post_subscribers
-- EMITS    posted, announced
-- IDEMPOTENT

local is_shown = replaces ~= '' or is_autosaved(draft)
if draft_saved ~= '' then is_shown = redis.call('HGET', draft, 'saved') == draft_saved end
local posted_ids = redis.call('GET', idempotency)
if posted_ids then
  if is_shown then remove_draft(draft, drafts, scheduled, uploads, uid, form_key) end
  return posted_ids
end
if draft_saved ~= '' and not is_shown then refuse('NODRAFT', form_key) end
local thread = thread_posts(fields, more)
local first, author = thread[1], read_author(member)
local flags = flagged ~= '' and cjson.decode(flagged) or {}
refuse_inactive(author.login, author.suspended, uid)
for _, field in ipairs(thread) do require_staged(uploads, field.media) end
refuse_when_behind()
if first.reply_to_id then require_no_block('CANNOTREPLY', first.reply_to_uid) end
local wait = burst == '0' and 0 or consume(rate_limit, tonumber(burst), tonumber(period), #thread)
if wait > 0 then return -wait end

local is_active, time = redis.call('ZSCORE', active_members, uid), now_ms()
local newest, parent_id, ids = redis.call('GET', last_id), first.reply_to_id, {}
for index, field in ipairs(thread) do
  if index > 1 then answer_own(field, thread[index - 1], newest, author, path_max) end
  local id = next_id(newest, time, tonumber(partition), parent_id)
  local status = status_prefix .. id
  ids[index], newest = id, id
  redis.call('HSET', status, unpack(names_and_values(field)))
  add_to_profile(posts, replies, media, restricted_prefix, id, field)
  if field.poll then redis.call('ZADD', poll_deadlines, poll_end(id, field.poll), id) end
  if is_active then redis.call('ZADD', home, id, id .. ':' .. uid) end -- else built by a visit
  emit('posted', unpack(posted_event(id, field, author, network, flags[index])))
end
local replied_to, visibility = first.reply_to_uid, first.visibility
emit_to_subscribers('announced', post_subscribers, ids[1], uid, replied_to, visibility)
redis.call('SET', last_id, newest)
redis.call('SET', idempotency, table.concat(ids, ' '), 'EX', idempotency_seconds)
if is_active then trim(home, tonumber(home_max), tonumber(home_slack)) end
if is_shown then remove_draft(draft, drafts, scheduled, uploads, uid, form_key) end
for _, field in ipairs(thread) do claim_pictures(uploads, field.media) end
return table.concat(ids, ' ')
