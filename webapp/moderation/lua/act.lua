-- Act on a member: check who may, apply the act, and keep it among the acts on the member.
--
-- KEYS     acts               moderation.acts(uid)
--          told               moderation.told_acts(uid)
-- ARGV     by         uid of who acts
--          kind       a name in acts.py
--          rank       of who acts
--          same       1 if the act needs no higher rank than the member's
--          is_told    1 if the member is notified
--          post       id of the post that it is about, 0 for none
--          entry      the act, JSON
--          kept_ms    how long a suspended account is kept
--          limit      ACTS_MAX
--          reports    the reports that it answers, a blank between them
-- RETURNS  the number of the act
-- ERRORS   NOMEMBER, CANNOTACT, ACTDONE
-- EMITS    moderated, suspended, restored, limited, unlimited, edited

local login, rights, last = unpack(redis.call('HMGET', member, 'login', 'rights', 'acts'))
if not login then refuse('NOMEMBER', uid) end
local own_rank = rank_in(rights)
if own_rank > tonumber(rank) or own_rank == tonumber(rank) and same ~= '1' then
  refuse('CANNOTACT', uid)
end
refuse_when_behind()

local number, now = string.format('%.0f', (tonumber(last) or 0) + 1), now_ms()
local changed = apply(kind, true, {
  number = number, post = post, status = status_prefix .. post, now = now,
  kept_ms = tonumber(kept_ms),
})
if not changed then refuse('ACTDONE', uid) end

redis.call('HSET', member, 'acts', number)
redis.call('HSET', acts, number, entry)
local oldest = string.format('%.0f', tonumber(number) - tonumber(limit))
redis.call('HDEL', acts, oldest, oldest .. ':answer', oldest .. ':appeal')
redis.call('ZREM', told, oldest, oldest .. ':answer')
if is_told == '1' then redis.call('ZADD', told, id_text(now), number) end
local event = {'uid', uid, 'number', number}
if reports ~= '' then add(event, 'reports', reports) end
emit('moderated', unpack(event))
note_entry('act', 'what', kind, 'by', by)
return number
