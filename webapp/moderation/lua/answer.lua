-- Take an act back, or refuse the appeal against it. One that was taken back stays so.
--
-- KEYS     acts               moderation.acts(uid)
--          told               moderation.told_acts(uid)
-- ARGV     by        uid of who answers
--          number
--          kind      of the act
--          rank      of who answers
--          granted   1 to take the act back, 0 to refuse the appeal
--          post      id of the post that the act is about, or when a draft was saved; 0 for none
--          answer    JSON
-- ERRORS   NOMEMBER, CANNOTACT, ACTDONE, NODRAFT, OWNDRAFT (both of acts that have no undoing)
-- EMITS    moderated, suspended, restored, limited, unlimited, edited

local login, rights = unpack(redis.call('HMGET', member, 'login', 'rights'))
local entry, answered, appeal =
  unpack(redis.call('HMGET', acts, number, number .. ':answer', number .. ':appeal'))
if not login or not entry then refuse('NOMEMBER', uid) end
if rank_in(rights) >= tonumber(rank) then refuse('CANNOTACT', uid) end
local is_undone = answered and cjson.decode(answered).granted == 1
if is_undone or granted == '0' and (answered or not appeal) then refuse('ACTDONE', uid) end
refuse_when_behind()

if granted == '1' then -- the effect may be gone, as when the post is deleted
  apply(kind, false, {
    number = number, post = post, status = status_prefix .. post, now = now_ms(),
  })
  redis.call('ZREM', told, number)
end
redis.call('HSET', acts, number .. ':answer', answer)
redis.call('ZADD', told, id_text(now_ms()), number .. ':answer')
emit('moderated', 'uid', uid, 'number', number, 'answered', granted)
note_entry(granted == '1' and 'undo' or 'keep', 'what', kind, 'by', by)
return 1
