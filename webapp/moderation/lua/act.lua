-- Act on a member: check who may, apply the act, and keep it among the acts on the member.
--
-- KEYS     acts               moderation.acts(uid)
--          told               moderation.told_acts(uid)
-- ARGV     by         uid of who acts
--          kind       a name in acts.py
--          rank       of who acts
--          same       1 if the act needs no higher rank than the member's
--          is_told    1 if the member is notified
--          post       id of the post that it is about, or when a draft was saved; 0 for none
--          entry      the act, JSON
--          kept_ms    how long a suspended account is kept
--          limit      ACTS_MAX
--          notice     to the address of an applicant, or ''
--          reports    the reports that it answers, `id@time`, a blank between them
-- RETURNS  the number of the act
-- ERRORS   NOMEMBER, CANNOTACT, ACTDONE, NODRAFT, OWNDRAFT
-- EMITS    moderated, suspended, restored, limited, unlimited, edited

local login, rights, last, suspended =
  unpack(redis.call('HMGET', member, 'login', 'rights', 'acts', 'suspended'))
if not login then refuse('NOMEMBER', uid) end
local own_rank = rank_in(rights)
if own_rank > tonumber(rank) or own_rank == tonumber(rank) and same ~= '1'
  or kind == 'promote' and suspended then
  refuse('CANNOTACT', uid)
end
refuse_when_behind()

local earlier, fields, answered = tonumber(last) or 0, {}, {}
for one = earlier, math.max(1, earlier - tonumber(limit) + 1), -1 do
  fields[#fields + 1] = string.format('%.0f:reports', one)
end
if reports ~= '' and fields[1] then
  for _, names in ipairs(redis.call('HMGET', acts, unpack(fields))) do
    for name in string.gmatch(names or '', '%S+') do answered[name] = true end
  end
end
for name in string.gmatch(reports, '%S+') do
  if answered[name] then refuse('ACTDONE', uid) end
end

local number, now = string.format('%.0f', earlier + 1), now_ms()
local changed = apply(kind, true, {
  number = number, post = post, status = status_prefix .. post, now = now,
  kept_ms = tonumber(kept_ms), notice = notice, by = by,
})
if not changed then refuse('ACTDONE', uid) end

redis.call('HSET', member, 'acts', number)
redis.call('HSET', acts, number, entry)
if reports ~= '' then redis.call('HSET', acts, number .. ':reports', reports) end
forget_act(acts, told, string.format('%.0f', tonumber(number) - tonumber(limit)))
if is_told == '1' then redis.call('ZADD', told, id_text(now), number) end
local event = {'uid', uid, 'number', number}
if reports ~= '' then add(event, 'reports', reports) end
emit('moderated', unpack(event))
note_entry('act', 'what', kind, 'by', by)
return number
