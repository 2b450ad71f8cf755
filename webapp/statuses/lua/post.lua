-- Post a status: make its id, add it to the author's lists and home, and emit `posted`. The same
-- form key and text post once.
--
-- KEYS     user                 hash: the author
--          last_id              string: newest id of the partition
--          idempotency          string: id that this form and text have made
--          posts                zset: the author's own statuses
--          replies              zset: the author's replies to others
--          media                zset: the author's statuses with pictures
--          restricted_prefix    prefix of the author's restricted lists
--          home                 zset: the author's home
--          outbox               stream
--          status_prefix        prefix of the author's statuses
--          active_members       zset
--          rate_limit           string
--          draft                hash: the draft of the form
--          drafts               zset: the author's drafts
--          scheduled            zset: scheduled posts of the partition
--          blocks               zset: uids whom the author blocks
--          blockers             zset: uids who block the author
--          uploads              zset: staged pictures
--          poll_deadlines       zset
-- ARGV     uid
--          partition
--          idempotency_seconds  life of the form key
--          home_max             entries
--          home_slack           entries
--          outbox_max           events
--          request_id
--          burst                posts of the rate limit, 0 for none
--          period               of the rate limit, seconds
--          form_key             its draft is removed, and so are the draft's pictures
--          draft_saved          when the draft was saved, if it is the draft that is posted; or ''
--          network              hash of the network it comes from, or '' if that is not known
--          fields...            names and values of the status's fields
-- RETURNS  the id; minus the seconds to wait if the rate limit is reached
-- ERRORS   NOMEMBER, SUSPENDED, CANNOTREPLY, EARLY, OVERLOADED, NODRAFT, NOUPLOAD
-- WRITES   all but user, active_members, blocks and blockers; a status
-- include core/store/lua/includes/ids.lua
-- include accounts/lua/includes/require_active.lua
-- include core/web/lua/includes/gcra.lua
-- include core/events/lua/includes/emit.lua
-- include timelines/lua/includes/trim.lua
-- include statuses/drafts/lua/includes/remove_draft.lua
-- include statuses/lua/includes/event_fields.lua
-- include statuses/lua/includes/require_past.lua
-- include statuses/visibility/lua/includes/require_no_block.lua
-- include statuses/lua/includes/add_to_profile.lua
-- include statuses/attachments/lua/includes/staged_pictures.lua
-- include statuses/polls/lua/includes/poll_end.lua

local field = {}
for index = 1, #fields, 2 do field[fields[index]] = fields[index + 1] end

if draft_saved ~= '' and redis.call('HGET', draft, 'saved') ~= draft_saved then
  return redis.error_reply('NODRAFT ' .. form_key)
end
local posted_id = redis.call('GET', idempotency)
if posted_id then
  remove_draft(draft, drafts, scheduled, uploads, uid, form_key)
  return posted_id
end
local refusal = require_active(user, uid)
  or require_staged(uploads, field.media)
  or behind(outbox, outbox_max)
if not refusal and field.reply_to_id then
  refusal = require_no_block('CANNOTREPLY', field.reply_to_uid, blocks, blockers)
    or require_past(field.reply_to_id)
end
if refusal then return refusal end
if burst ~= '0' then
  local wait = consume(rate_limit, tonumber(burst), tonumber(period))
  if wait > 0 then return -wait end
end

local newest = math.max(tonumber(redis.call('GET', last_id) or 0), tonumber(field.reply_to_id or 0))
local id = next_id(id_text(newest), now_ms(), tonumber(partition))
local status = status_prefix .. id
redis.call('SET', last_id, id)
redis.call('SET', idempotency, id, 'EX', idempotency_seconds)
redis.call('HSET', status, unpack(fields))
add_to_profile(posts, replies, media, restricted_prefix, id, field)
if field.poll then redis.call('ZADD', poll_deadlines, poll_end(id, field.poll), id) end
if redis.call('ZSCORE', active_members, uid) then -- the next visit of others builds their home
  redis.call('ZADD', home, id, id .. ':' .. uid)
  trim(home, tonumber(home_max), tonumber(home_slack))
end
remove_draft(draft, drafts, scheduled, uploads, uid, form_key)
claim_pictures(uploads, field.media)
local event = {'type', 'posted', 'rid', request_id, 'id', id, 'author', uid}
add_status_fields(event, status, field.entities, network)
emit(outbox, partition, unpack(event))
return id
